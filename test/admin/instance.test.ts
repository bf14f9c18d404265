import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { VERSION } from '../../src/lib/version.ts';
import { type AdminClient, adminClient, auditOf, succeeded } from '../support/admin.ts';
import {
  assertError,
  forEachEngine,
  listOver,
  type Service,
  START,
  startService,
} from '../support/harness.ts';
import { command } from '../support/terminal.ts';
import { endpointFor } from '../support/webhooks.ts';

interface Findings {
  healthy: boolean;
  findings: { what: string; ok: boolean; level: string; detail: string; endpoint?: object }[];
}

forEachEngine((engine) => {
  describe('the installation over the admin API', () => {
    let service: Service;
    let admin: AdminClient;
    before(async () => {
      service = await startService(engine, { environment: { DOORLIST_MAIL_FROM: 'hello@acme.example' } });
      admin = await adminClient(service, 'admin');
    });
    after(() => service.close());

    it('says what it is', async () => {
      await service.waitlist();
      const expected = {
        version: VERSION,
        engine,
        publicUrl: service.config.publicUrl,
        emails: { from: 'hello@acme.example', smtp: 'none' },
        counts: { waitlists: 1, operators: 0 },
        defaultTimeZone: 'UTC',
        createdAt: new Date(START).toISOString(),
      };
      assert.deepEqual(succeeded(await admin.get('/instance')), expected);
    });

    it('changes its settings, and refuses what is not a time zone', async () => {
      const change = (body: object) =>
        admin.patch<{ defaultTimeZone: string; message: string }>('/instance', body);
      const { id } = await service.waitlist();
      for (const zone of ['Europe/Berlin', 'Europe/Berlin', 'UTC']) {
        assert.equal(succeeded(await change({ defaultTimeZone: zone })).defaultTimeZone, zone);
        const { timeZone } = succeeded(await admin.get<{ timeZone: string }>(`/waitlists/${id}/statistics`));
        assert.equal(timeZone, zone);
      }
      const records = await auditOf(service, 'instance:instance');
      assert.deepEqual(
        records.map(({ details: { before: was, after: is } }) => [was?.defaultTimeZone, is?.defaultTimeZone]),
        [
          ['UTC', 'Europe/Berlin'],
          ['Europe/Berlin', 'UTC'],
        ],
      );
      for (const zone of ['', 'Moon/Base', '+02:00', 'UTC ']) {
        const refused = await change({ defaultTimeZone: zone });
        assertError(refused, 400, 'invalid_request');
        assert.match(refused.body.message, /^defaultTimeZone: must be the IANA name/);
      }
      assertError(await change({}), 400, 'invalid_request');
      assertError(await change({ publicUrl: 'https://x.example' }), 400, 'invalid_request');
    });

    it('adds environments to every waitlist, also to those that exist', async () => {
      const list = await service.waitlist();
      const created = succeeded(
        await admin.post<{ name: string }>('/environments', { name: 'staging' }),
        201,
      );
      assert.equal(created.name, 'staging');
      const { environments } = succeeded(
        await admin.get<{ environments: { name: string }[] }>('/environments'),
      );
      assert.deepEqual(environments.map(({ name }) => name).sort(), ['development', 'production', 'staging']);
      const { key } = succeeded(
        await admin.post<{ key: string }>(`/waitlists/${list.id}/keys?environment=staging`),
        201,
      );
      assert.equal((await listOver(service, list.id, key).signup({ email: 'a@example.com' })).status, 201);
      assertError(await admin.post('/environments', { name: 'staging' }), 409, 'conflict');
      for (const name of ['', 'Staging', '1st', 'a b', 'x'.repeat(33)])
        assertError(await admin.post('/environments', { name }), 400, 'invalid_request');
      const actions = (await auditOf(service, 'environment:staging')).map(({ action }) => action);
      assert.deepEqual(actions, ['environment.created']);
    });

    it('reports its health in the words of `status`', async () => {
      const { healthy, findings } = succeeded(await admin.get<Findings>('/health'));
      assert.equal(healthy, true, JSON.stringify(findings));
      const status = await command<Findings>(service.storage.environment, 'status');
      const names = status.json.findings.map(({ what }) => what);
      for (const { what } of findings) if (what !== 'delivery backlog') assert.ok(names.includes(what), what);
      const detail = (what: string) => findings.find((finding) => finding.what === what)?.detail;
      assert.match(detail('database') ?? '', new RegExp(`^${engine}, schema version \\d+, `));
      assert.equal(detail('webhooks'), 'none');
      const list = await service.waitlist();
      await list.invite('a@example.com');
      const after = succeeded(await admin.get<Findings>('/health'));
      assert.equal(after.findings.find(({ what }) => what === 'emails')?.detail, '1 pending');
    });

    it('counts old deliveries as trouble', async () => {
      service.clock.advance(2 * 3_600_000);
      const { healthy, findings } = succeeded(await admin.get<Findings>('/health'));
      assert.equal(healthy, false);
      const backlog = findings.find(({ what }) => what === 'delivery backlog');
      assert.deepEqual(backlog, {
        what: 'delivery backlog',
        ok: false,
        level: 'problem',
        detail: 'oldest pending for 120 min',
      });
    });

    it('names an endpoint that fails for long, and blames nothing else', async () => {
      const failing = await startService(engine);
      try {
        const list = await failing.waitlist();
        const endpoint = await endpointFor(failing.context, await list.queue(), 'https://crm.example/hook');
        await list.signup({ email: 'a@example.com' });
        const failingSince = failing.context.clock();
        await failing.context.db.query
          .updateTable('webhook_endpoint')
          .set({ failing_since: failingSince })
          .execute();
        failing.clock.advance(2 * 3_600_000);
        const { healthy, findings } = succeeded(
          await (await adminClient(failing, 'support')).get<Findings>('/health'),
        );
        assert.equal(healthy, false);
        assert.deepEqual(
          findings.filter(({ level }) => level !== 'fine'),
          [
            {
              what: 'webhook endpoint',
              ok: false,
              level: 'warning',
              detail: 'https://crm.example/hook has been failing for 120 min',
              endpoint: { id: endpoint.id, waitlistId: list.id, environment: 'production' },
            },
          ],
        );
      } finally {
        await failing.close();
      }
    });
  });
});
