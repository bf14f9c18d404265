import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { TABLE_KEYS } from '../../src/db/table-keys.ts';
import { TABLES, type TableName } from '../../src/db/tables.ts';
import { changeSettings } from '../../src/waitlist/queue/change-settings.ts';
import { createEnvironment } from '../../src/waitlist/settings/environments.ts';
import { updateWaitlist } from '../../src/waitlist/settings/update-waitlist.ts';
import { rotateMasterKey } from '../../src/waitlist/upkeep/instance.ts';
import { LATE_ROWS_MS, removeDeleted } from '../../src/waitlist/upkeep/remove-deleted.ts';
import { keepUp } from '../../src/waitlist/upkeep/upkeep.ts';
import { type AdminClient, adminClient, auditOf, succeeded } from '../support/admin.ts';
import { assertError, forEachEngine, type List, type Service, startService } from '../support/harness.ts';
import { storedBytes } from '../support/inspect.ts';
import { ok, startReceiver } from '../support/receiver.ts';
import { unique } from '../support/storage.ts';
import { command } from '../support/terminal.ts';
import { endpointFor, startSending, until } from '../support/webhooks.ts';

describe('tables', () => {
  it('begin their key with the queue or waitlist that they belong to, so that they are removed with it', () => {
    for (const [table, columns] of Object.entries(TABLES)) {
      const [first] = (TABLE_KEYS as Record<string, readonly string[]>)[table] ?? [];
      if ('queue_id' in columns) assert.equal(first, 'queue_id', table);
      else if ('waitlist_id' in columns && !['queue', 'server_key'].includes(table))
        assert.equal(first, 'waitlist_id', table);
    }
  });
});

forEachEngine((engine) => {
  describe('deleting a waitlist', () => {
    let service: Service;
    let owner: AdminClient;
    before(async () => {
      service = await startService(engine);
      owner = await adminClient(service);
    });
    after(() => service.close());

    const remove = (id: string) => owner.delete(`/waitlists/${id}`, { confirm: id });
    const people = (count: number, from = 0) =>
      Array.from({ length: count }, (_, i) => ({
        email: `p${from + i}@example.com`,
        metadata: { plan: 'pro', number: from + i },
        ...(i > 0 ? { referredBy: `p${from}@example.com` } : {}),
      }));
    const queueIds = async (list: List) => {
      const { waitlist } = await list.queue();
      const rows = await service.context.db.query
        .selectFrom('queue')
        .select('id')
        .where('waitlist_id', '=', waitlist.internalId)
        .execute();
      return { waitlistId: waitlist.internalId, ids: rows.map(({ id }) => id) };
    };
    const rowsOf = async (ids: number[], table: TableName = 'entry') => {
      const rows = await service.context.db.query
        .selectFrom(table as 'entry')
        .select('queue_id')
        .where('queue_id', 'in', ids)
        .execute();
      return rows.length;
    };

    it('takes an owner, and the id a second time', async () => {
      const { id } = await service.waitlist();
      const admin = await adminClient(service, 'admin');
      assertError(await admin.delete(`/waitlists/${id}`, { confirm: id }), 403, 'forbidden');
      for (const body of [undefined, {}, { confirm: '' }, { confirm: `${id}x` }, { confirm: true }])
        assertError(await owner.delete(`/waitlists/${id}`, body), 400, 'invalid_request');
      assertError(await remove('wl_nowhere'), 404, 'not_found');
      assertError(await remove('none'), 404, 'not_found');
      succeeded(await owner.get(`/waitlists/${id}`));
      const { environment } = service.storage;
      const refused = await command(environment, 'waitlist', 'delete', id, '--confirm', 'wl_other');
      assert.equal(refused.json.message, `--confirm: must be ${id}`);
      const deleted = await command(environment, 'waitlist', 'delete', id, '--confirm', id);
      assert.deepEqual(deleted.json, { id, deleted: true });
      const [record] = (await auditOf(service, `waitlist:${id}`)).slice(-1);
      assert.deepEqual([record?.action, record?.actor], ['waitlist.deleted', 'command-line']);
    });

    it('ends everything at once: keys, entries, invites, jobs and the id', async () => {
      const list = await service.waitlist();
      await list.signup(...people(3));
      const { code } = await list.invite('p0@example.com');
      const product = await service.key();
      await updateWaitlist(service.context, list.id, { boost: 9 });
      const { jobs } = succeeded(
        await owner.get<{ jobs: { id: string; kind: string }[] }>(`/waitlists/${list.id}/jobs`),
      );
      assert.deepEqual(
        jobs.map(({ kind }) => kind),
        ['rerank'],
      );
      assert.deepEqual(succeeded(await remove(list.id)), { id: list.id, deleted: true });
      assertError(await list.page(), 401, 'unauthorized');
      assertError(await list.signup({ email: 'late@example.com' }), 401, 'unauthorized');
      const all = { ...list, key: product.key };
      const entries = await service.request('GET', `/sdk/v1/waitlist/${list.id}/entries`, { key: all.key });
      assertError(entries, 404, 'not_found');
      const check = await service.request<object>('GET', `/sdk/v1/waitlist/invites/${code}`);
      assert.deepEqual(check.body, { valid: false, reason: 'not_found' });
      assertError(await service.request('POST', `/sdk/v1/waitlist/invites/${code}/accept`), 404, 'not_found');
      for (const path of ['', '/keys', '/jobs'])
        assertError(await owner.get(`/waitlists/${list.id}${path}`), 404, 'not_found');
      assertError(await owner.get(`/jobs/${jobs[0]?.id}`), 404, 'not_found');
      assertError(await remove(list.id), 404, 'not_found');
      const listed = succeeded(await owner.get<{ waitlists: { id: string }[] }>('/waitlists?limit=200'));
      assert.ok(!listed.waitlists.some(({ id }) => id === list.id || id.startsWith('deleted')));
      const [record] = (await auditOf(service, `waitlist:${list.id}`)).slice(-1);
      assert.equal(record?.action, 'waitlist.deleted');
      assert.equal(record?.details.before?.boost, 9);
      await service.runJobs(); // Nothing of it runs.
    });

    it('frees the id for a new waitlist that knows nothing of the old one', async () => {
      const list = await service.waitlist();
      await list.signup({ email: 'a@example.com' });
      succeeded(await remove(list.id));
      succeeded(await owner.post('/waitlists', { id: list.id, name: 'Again' }), 201);
      assertError(await list.page(), 401, 'unauthorized');
      const { key } = succeeded(
        await owner.post<{ key: string }>(`/waitlists/${list.id}/keys`, { canRead: true }),
        201,
      );
      const page = await service.request<{ total: number }>('GET', `/sdk/v1/waitlist/${list.id}/entries`, {
        key,
      });
      assert.equal(page.body.total, 0);
      const signup = await service.request<{ created: number }>('POST', '/sdk/v1/waitlist/signup', {
        key,
        body: { waitlistId: list.id, entries: [{ email: 'a@example.com' }] },
      });
      assert.equal(signup.body.created, 1);
    });

    it('destroys the keys, in the files too', async () => {
      const list = await service.waitlist();
      const { ids } = await queueIds(list);
      const { db } = service.context;
      const read = () => db.query.selectFrom('queue').select('wrapped_keys').where('id', 'in', ids).execute();
      const keys = (await read()).map(({ wrapped_keys }) => Buffer.from(wrapped_keys));
      assert.ok(keys.length >= 2 && keys.every(({ length }) => length > 64));
      succeeded(await remove(list.id));
      assert.ok((await read()).every(({ wrapped_keys }) => wrapped_keys.length === 0));
      if (engine !== 'sqlite') return; // PostgreSQL vacuums by itself.
      await keepUp(service.context);
      for (const { name, bytes } of await storedBytes(service.storage, new Date()))
        assert.ok(!keys.some((key) => bytes.includes(key)), name);
    });

    it('destroys the keys and ends the jobs even if the process dies in between', async () => {
      const list = await service.waitlist();
      await list.signup(...people(3));
      await updateWaitlist(service.context, list.id, { boost: 9 });
      const { ids, waitlistId } = await queueIds(list);
      const { query } = service.context.db;
      await changeSettings(service.context, async (trx) => {
        const deleted = { public_id: `deleted ${waitlistId}`, deleted_at: service.clock.now };
        await trx.updateTable('waitlist').set(deleted).where('id', '=', waitlistId).execute();
        await trx.deleteFrom('server_key').where('waitlist_id', '=', waitlistId).execute();
      });
      await removeDeleted(service.context, () => true); // Stops before the rows.
      const queues = await query.selectFrom('queue').select('wrapped_keys').where('id', 'in', ids).execute();
      assert.ok(queues.every(({ wrapped_keys }) => wrapped_keys.length === 0));
      const jobs = await query.selectFrom('job').select('outcome').where('queue_id', 'in', ids).execute();
      assert.deepEqual(jobs, [{ outcome: 'cancelled' }]);
    });

    it('removes the rows in steps that continue after a crash, and leaves others alone', async () => {
      const list = await service.waitlist();
      const other = await service.waitlist();
      await other.signup(...people(3));
      for (let from = 0; from < 1_100; from += 100) await list.signup(...people(100, from));
      await list.invite('p0@example.com');
      await updateWaitlist(service.context, list.id, { boost: 9 });
      const { ids, waitlistId } = await queueIds(list);
      service.clock.advance(LATE_ROWS_MS);
      await removeDeleted(service.context); // Of the other tests.
      succeeded(await remove(list.id));
      const left = [await rowsOf(ids)];
      for (let most = 20; left.at(-1) !== 0; most++) {
        let taken = 0;
        await removeDeleted(service.context, () => taken++ >= most); // Killed in the middle.
        left.push(await rowsOf(ids));
      }
      const partial = left.filter((rows) => rows > 0 && rows < 1_100);
      assert.ok(partial.length > 0 && partial.every((rows) => rows % 500 === 100), String(left));
      await removeDeleted(service.context);
      for (const [table, [first]] of Object.entries(TABLE_KEYS))
        if (first === 'queue_id') assert.equal(await rowsOf(ids, table as TableName), 0, table);
      const { query } = service.context.db;
      const remains = () => query.selectFrom('waitlist').select('id').where('id', '=', waitlistId).execute();
      assert.equal((await remains()).length, 1); // For what may still arrive.
      service.clock.advance(LATE_ROWS_MS);
      await removeDeleted(service.context);
      assert.equal((await remains()).length, 0);
      assert.deepEqual(await query.selectFrom('queue').select('id').where('id', 'in', ids).execute(), []);
      assert.equal((await other.page()).body.total, 3);
      assert.equal((await other.signup({ email: 'new@example.com' })).status, 201);
    });

    it('answers signups that are under way with 201, 401 or 404, and never with a fault', async () => {
      const list = await service.waitlist();
      const other = await service.waitlist();
      const { ids } = await queueIds(list);
      const signups = Array.from({ length: 60 }, (_, i) => list.signup({ email: `s${i}@example.com` }));
      const beside = Array.from({ length: 20 }, (_, i) => other.signup({ email: `s${i}@example.com` }));
      const deleting = remove(list.id);
      const more = Array.from({ length: 60 }, (_, i) => list.signup({ email: `t${i}@example.com` }));
      const answers = await Promise.all([...signups, ...more]);
      succeeded(await deleting);
      for (const { status, text } of answers) assert.ok([201, 401, 404].includes(status), text);
      for (const { status } of await Promise.all(beside)) assert.equal(status, 201);
      const created = answers.filter(({ status }) => status === 201).length;
      assert.equal(await rowsOf(ids), created); // None came in after the deletion.
    });

    it('does not stand in the way of a new environment, a rotated master key or doctor', async () => {
      const list = await service.waitlist();
      await list.signup({ email: 'a@example.com' });
      succeeded(await remove(list.id));
      await createEnvironment(service.context, unique('e').toLowerCase().replaceAll('_', '-').slice(0, 20));
      const { environment } = service.storage;
      const doctor = await command<{ findings: { what: string; ok: boolean }[] }>(environment, 'doctor');
      const queues = doctor.json.findings.filter(({ what }) => / in /.test(what));
      assert.ok(queues.length > 0 && queues.every(({ what, ok: fine }) => fine && what.startsWith('wl_')));
      await rotateMasterKey(service.context);
      await removeDeleted(service.context);
      assert.equal((await (await service.waitlist()).signup({ email: 'a@example.com' })).status, 201);
    });
  });

  describe('deleting a waitlist while another instance sends for it', () => {
    it('stops deliveries that were claimed, and sends nothing after it is done', async (test) => {
      const sending = await startSending(engine);
      test.after(() => sending.close());
      const deleting = await startService(engine, { storage: sending.storage });
      test.after(() => deleting.close());
      const held: ServerResponse[] = [];
      const receiver = await startReceiver((_, response) => void held.push(response));
      test.after(() => receiver.close());
      const list = await sending.waitlist();
      await endpointFor(sending.context, await list.queue(), receiver.url);
      await list.signup(...Array.from({ length: 60 }, (_, i) => ({ email: `p${i}@example.com` })));
      await until('the endpoint is busy', async () => held.length === 16);
      const owner = await adminClient(deleting);
      succeeded(await owner.delete(`/waitlists/${list.id}`, { confirm: list.id }));
      receiver.answer = ok;
      for (const response of held.splice(0)) response.end();
      // Once this one has arrived, the others had their turn.
      const other = await sending.waitlist();
      const marked = await startReceiver(ok);
      test.after(() => marked.close());
      await endpointFor(sending.context, await other.queue(), marked.url);
      await other.signup({ email: 'marker@example.com' });
      await until('the marker arrives', async () => marked.received.length === 1);
      assert.equal(receiver.received.length, 16);
    });
  });
});
