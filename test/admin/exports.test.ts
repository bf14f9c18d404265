import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { parse } from 'csv-parse/sync';
import { crowdEmail, fillQueue } from '../support/crowd.ts';
import { type DocumentedClient, documentedClient } from '../support/documented-client.ts';
import { assertError, forEachEngine, type List, type Service, startService } from '../support/harness.ts';
import { until } from '../support/webhooks.ts';

interface Job {
  id: string;
  state: string;
  done: number;
  total: number | null;
  result: { entries: number } | null;
}

forEachEngine((engine) => {
  describe('exports over the admin API', () => {
    let service: Service;
    let admin: DocumentedClient;
    let list: List;
    before(async () => {
      service = await startService(engine);
      admin = await documentedClient(service, 'admin');
      list = await service.waitlist();
      await list.signup(
        { email: 'ann@example.com', metadata: { plan: 'pro', note: '=1+1' } },
        { email: 'ben@example.com', referredBy: 'ann@example.com' },
        { phone: '+4915112345678', metadata: { plan: 'pro' } },
      );
      await list.invite('ben@example.com');
    });
    after(() => service.close());

    const base = () => `/waitlists/${list.id}/exports`;
    const create = (body: object, where = base()) => admin.call<Job>('createExport', 'POST', where, { body });
    const download = (id: string) => admin.call('downloadExport', 'GET', `${base()}/${id}/file`);
    const jobOf = async (id: string) => (await admin.call<Job>('getJob', 'GET', `/jobs/${id}`)).body;

    it('streams everyone as CSV, as the command line does, and audits it', async () => {
      const made = await create({ format: 'csv' });
      assert.deepEqual([made.status, made.body.done, made.body.total], [202, 0, 3], made.text);
      const file = await download(made.body.id);
      assert.equal(file.headers.get('content-type'), 'text/csv; charset=utf-8');
      assert.equal(file.headers.get('cache-control'), 'no-store');
      assert.equal(
        file.headers.get('content-disposition'),
        `attachment; filename="${list.id}-production-2026-11-15.csv"`,
      );
      assert.ok(file.text.startsWith('id,email,'), 'no byte order mark');
      const rows: Record<string, string>[] = parse(file.text, { columns: true });
      assert.deepEqual(
        rows.map(({ email, phone, status, referredBy }) => [email, phone, status, referredBy]),
        [
          ['ann@example.com', '', 'waiting', ''],
          ['ben@example.com', '', 'invited', 'ann@example.com'],
          ['', "'+4915112345678", 'waiting', ''],
        ],
      );
      const { object, after: facts } = await admin.audited('entries.exported');
      assert.equal(object.id, list.id);
      assert.deepEqual(facts, { environment: 'production', job: made.body.id, format: 'csv' });
      const { state, done, result } = await jobOf(made.body.id);
      assert.deepEqual([state, done, result], ['done', 3, { entries: 3 }]);
      assert.equal((await download(made.body.id)).text, file.text, 'it can be downloaded again');
      service.clock.advance(1_000);
      const second = await create({ format: 'json' });
      const { body } = await admin.call<{ jobs: Job[] }>('listExports', 'GET', base());
      const listed = body.jobs.map(({ id }) => id);
      assert.deepEqual(listed, [second.body.id, made.body.id]);
    });

    it('exports JSON and JSON Lines, by status and segment', async () => {
      const exported = async (body: object) => {
        const made = await create(body);
        assert.equal(made.status, 202, made.text);
        return { total: made.body.total, file: await download(made.body.id) };
      };
      const json = await exported({ format: 'json', segment: { where: { plan: 'pro' } } });
      const entries = JSON.parse(json.file.text) as { email: string | null }[];
      assert.deepEqual([json.total, entries.map(({ email }) => email)], [2, ['ann@example.com', null]]);
      assert.match(json.file.headers.get('content-type') ?? '', /^application\/json/);
      const lines = await exported({ format: 'ndjson', status: 'invited' });
      assert.equal(lines.total, 1);
      assert.equal(JSON.parse(lines.file.text).email, 'ben@example.com');
      const nobody = await exported({ format: 'json', status: 'joined' });
      assert.deepEqual([nobody.total, JSON.parse(nobody.file.text)], [0, []]);
      const both = await exported({ format: 'ndjson', status: 'joined', segment: { minReferrals: 1 } });
      assert.equal(both.file.text, '');
    });

    it('refuses what it does not know', async () => {
      assertError(await create({ format: 'xls' }), 400, 'invalid_request', /^format: must be one of/);
      assertError(await create({}), 400, 'invalid_request', 'format: is required');
      assertError(await create({ format: 'csv', status: 'gone' }), 400, 'invalid_request', /^status: /);
      assertError(await create({ format: 'csv', segment: {} }), 400, 'invalid_request', /^segment: /);
      assertError(await create({ format: 'csv' }, '/waitlists/wl_none/exports'), 404, 'not_found');
      assertError(await download('none'), 404, 'not_found');
      const other = await service.waitlist();
      const { id } = (await create({ format: 'csv' })).body;
      const path = `/waitlists/${other.id}/exports/${id}/file`;
      assertError(await admin.call('downloadExport', 'GET', path), 404, 'not_found');
    });

    it('ends when it is cancelled, and after 24 hours', async () => {
      const cancelled = (await create({ format: 'csv' })).body.id;
      await admin.call('cancelJob', 'DELETE', `/jobs/${cancelled}`);
      assertError(await download(cancelled), 409, 'conflict', 'this export was cancelled');
      const old = (await create({ format: 'csv' })).body.id;
      const at = service.clock.now;
      service.clock.now = at + 24 * 60 * 60 * 1000;
      assertError(await download(old), 410, 'expired');
      service.clock.now = at;
    });

    it('stops reading when the client goes away', async () => {
      const crowd = await service.waitlist();
      const people = 12_000;
      const metadata = { note: 'x'.repeat(2_000) }; // More than the buffers of a connection can take.
      await fillQueue(service.context, await crowd.queue(), people, (n) => ({
        email: crowdEmail(n),
        metadata,
      }));
      const path = `/waitlists/${crowd.id}/exports`;
      const { id } = (await create({ format: 'ndjson' }, path)).body;
      const before = service.log.filter((line) => line.includes('/exports/:jobId/file')).length;
      const leave = new AbortController();
      const response = await fetch(`${service.url}/admin/v1${path}/${id}/file`, {
        headers: { authorization: `Bearer ${admin.key}` },
        signal: leave.signal,
      });
      await response.body?.getReader().read();
      leave.abort();
      const ended = () => service.log.filter((line) => line.includes('/exports/:jobId/file')).length;
      await until('the request has ended', () => ended() > before);
      const { state, done } = await jobOf(id);
      assert.notEqual(state, 'done');
      assert.ok(done < people, String(done));
    });
  });
});
