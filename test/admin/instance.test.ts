import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { inline, ownCommands } from '../../src/installation/own-commands.ts';
import { VERSION } from '../../src/lib/root.ts';
import { setEndpointEnabled } from '../../src/webhooks/change-endpoints.ts';
import { type AdminClient, adminClient, auditOf, succeeded } from '../support/admin.ts';
import {
  assertError,
  forEachEngine,
  listOver,
  type Service,
  START,
  startService,
} from '../support/harness.ts';
import { adminToken } from '../support/operators.ts';
import { command } from '../support/terminal.ts';
import { endpointFor } from '../support/webhooks.ts';

interface Findings {
  healthy: boolean;
  findings: { what: string; ok: boolean; level: string; detail: string; link?: string; endpoint?: object }[];
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
      const own = ownCommands(service.config);
      const expected = {
        version: VERSION,
        engine,
        workers: await service.context.db.clusterWorkers(),
        publicUrl: service.config.publicUrl,
        emails: { from: 'hello@acme.example', smtp: 'none' },
        counts: { waitlists: 1, operators: 0 },
        commands: {
          run: inline(own.variables, own.command),
          start: own.start,
          secrets: engine === 'sqlite' ? [] : ['DATABASE_URL'],
        },
        defaultTimeZone: 'UTC',
        createdAt: new Date(START).toISOString(),
      };
      assert.deepEqual(succeeded(await admin.get('/instance')), expected);
      const { storage } = service;
      assert.match(
        own.variables.DOORLIST_DATA_DIR ?? '',
        new RegExp(`^${storage.environment.DOORLIST_DATA_DIR}$`),
      );
      const token = await adminToken(service, 'support');
      const seen = await service.request<{ commands: unknown }>('GET', '/admin/v1/instance', { key: token });
      assert.equal(seen.body.commands, null, 'nobody below admin runs commands');
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
      assert.equal(detail('webhooks'), 'none pending or failed');
      const list = await service.waitlist();
      await list.invite('a@example.com');
      const after = succeeded(await admin.get<Findings>('/health'));
      assert.equal(after.findings.find(({ what }) => what === 'emails')?.detail, '1 pending');
    });

    it('asks for what it cannot know, and records who said so', async () => {
      const of = async (check: string) => {
        const { findings } = succeeded(await admin.get<Findings>('/health'));
        return findings.find(({ what }) => what === check);
      };
      const confirm = (check: string, confirmed: boolean) =>
        admin.put<Findings>('/health/confirmations', { check, confirmed });
      assert.deepEqual(
        [(await of('master key'))?.level, (await of('backup'))?.level],
        ['warning', 'warning'],
      );
      for (const check of ['master key', 'backup']) succeeded(await confirm(check, true));
      assert.equal((await of('master key'))?.level, 'fine');
      assert.match((await of('master key'))?.detail ?? '', /A copy is kept, as confirmed on 2026-11-15$/);
      assert.equal((await of('backup'))?.level, 'unchecked');
      await service.context.db.query
        .updateTable('health_confirmation')
        .set({ key_id: Buffer.alloc(16) })
        .where('name', '=', 'master key')
        .execute();
      assert.equal((await of('master key'))?.level, 'warning', 'the key was rotated since');
      succeeded(await confirm('backup', false));
      assert.equal((await of('backup'))?.level, 'warning');
      const changes = (await auditOf(service, 'instance:instance')).map(({ details: { after: is } }) => is);
      assert.deepEqual(changes.slice(-3), [
        { masterKeyCopyKept: true },
        { backedUpElsewhere: true },
        { backedUpElsewhere: false },
      ]);
      assertError(await confirm('disk', true), 400, 'invalid_request');
    });

    it('says where too many emails failed', async () => {
      const { body } = await admin.get<Findings>('/health');
      assert.equal(body.findings.find(({ what }) => what === 'emails')?.level, 'fine');
      const { db, clock } = service.context;
      await db.query
        .updateTable('delivery')
        .set({ due_at: null, failed_at: clock() })
        .where('channel', '=', 'email')
        .execute();
      const { findings } = succeeded(await admin.get<Findings>('/health'));
      const emails = findings.find(({ what }) => what === 'emails');
      assert.deepEqual([emails?.ok, emails?.level], [true, 'warning']);
      assert.match(emails?.detail ?? '', /^1 failed\. In wl_\w+, the only email of the last 7 days failed$/);
      assert.match(emails?.link ?? '', /^\/waitlists\/wl_\w+\/emails\?tab=log&state=failed$/);
      await db.query.updateTable('delivery').set({ due_at: clock(), failed_at: null }).execute();
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
        assert.equal(findings.find(({ what }) => what === 'webhooks')?.level, 'warning');
        assert.deepEqual(
          findings.filter(({ ok }) => !ok),
          [
            {
              what: 'webhook endpoint',
              ok: false,
              level: 'warning',
              detail: 'https://crm.example has been failing for 120 min',
              link: `/waitlists/${list.id}/webhooks/${endpoint.id}`,
              endpoint: { id: endpoint.id, waitlistId: list.id, environment: 'production' },
            },
          ],
        );
        const ofEndpoint = async () => {
          const { findings: now } = succeeded(
            await (await adminClient(failing, 'support')).get<Findings>('/health'),
          );
          const found = now.find(({ what }) => what === 'webhook endpoint');
          return [found?.ok, found?.level, found?.detail];
        };
        failing.clock.advance(22 * 3_600_000);
        assert.deepEqual(await ofEndpoint(), [
          ...[false, 'problem', 'https://crm.example has been failing for 24 hours'],
        ]);
        const table = () => failing.context.db.query.updateTable('webhook_endpoint');
        await table().set({ failing_since: null }).execute();
        await failing.context.db.query
          .updateTable('delivery')
          .set({ due_at: null, failed_at: failing.context.clock() })
          .where('channel', '=', 'webhook')
          .execute();
        assert.deepEqual(await ofEndpoint(), [
          ...[true, 'warning', 'https://crm.example: 1 delivery of the last 7 days failed'],
        ]);
        const reason = 'no delivery succeeded for 5 days';
        await table().set({ disabled_at: failing.context.clock(), disabled_reason: reason }).execute();
        assert.equal((await ofEndpoint())[1], 'problem');
        await setEndpointEnabled(failing.context, endpoint.id, true);
        await setEndpointEnabled(failing.context, endpoint.id, false);
        assert.deepEqual(await ofEndpoint(), [undefined, undefined, undefined], 'an operator wants it so');
      } finally {
        await failing.close();
      }
    });
  });
});
