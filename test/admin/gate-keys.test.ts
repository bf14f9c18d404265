import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { HOOK_KEYS_MAX } from '../../src/waitlist/keys/hook-keys.ts';
import { type AdminClient, adminClient, auditOf, succeeded } from '../support/admin.ts';
import { assertError, forEachEngine, type List, type Service, startService } from '../support/harness.ts';
import { jsonOf, typed } from '../support/terminal.ts';

interface GateKey {
  id: string;
  key: string;
  url: string;
  hint: string;
  name: string;
  signed: boolean;
  createdAt: string;
  lastUsedAt: string | null;
}

const WHSEC = 'v1,whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

forEachEngine((engine) => {
  describe('gate keys', () => {
    let service: Service;
    let admin: AdminClient;
    let list: List;
    let at: string;
    before(async () => {
      service = await startService(engine);
      admin = await adminClient(service, 'admin');
      list = await service.waitlist();
      at = `/waitlists/${list.id}/gate-keys`;
    });
    after(() => service.close());
    const listed = async (where = at) => succeeded(await admin.get<{ gateKeys: GateKey[] }>(where)).gateKeys;
    const ask = (key: string) =>
      service.request('POST', `/gate/v1/${key}`, { body: { email: 'nobody@example.com' } });

    it('are created for one environment, shown once, and work', async () => {
      const { key, url, ...shown } = succeeded(await admin.post<GateKey>(at, { name: ' Backend ' }), 201);
      const { tag } = await list.queue();
      assert.match(key, new RegExp(`^dlg_${tag}[0-9A-Za-z]{34}$`));
      assert.equal(url, `${service.config.publicUrl}/gate/v1/${key}`);
      assert.deepEqual([shown.name, shown.hint, shown.signed], ['Backend', key.slice(-4), false]);
      assert.deepEqual(await listed(), [shown]);
      assert.deepEqual(await listed(`${at}?environment=development`), []);
      assert.equal((await ask(key)).status, 200);
      const [record] = await auditOf(service, `gate_key:${shown.id}`);
      assert.equal(record?.action, 'gate_key.created');
      const where = { waitlistId: list.id, environment: 'production' };
      assert.deepEqual(record?.details.after, { name: 'Backend', ...where, signed: false });
      const { hash } = await service.context.db.query
        .selectFrom('gate_key')
        .select('hash')
        .executeTakeFirstOrThrow();
      assert.ok(!Buffer.from(hash).toString('latin1').includes(key));
    });

    it('keep a signing secret sealed, and take another or none later', async () => {
      const made = succeeded(await admin.post<GateKey>(at, { secret: WHSEC }), 201);
      assert.equal(made.signed, true);
      assertError(await ask(made.key), 401, 'unauthorized', /is not signed/);
      const rows = await service.context.db.query.selectFrom('gate_key').select('secret').execute();
      for (const { secret } of rows)
        assert.ok(!Buffer.from(secret ?? '').includes('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'));
      const unsigned = succeeded(await admin.patch<GateKey>(`${at}/${made.id}`, { secret: null }));
      assert.equal(unsigned.signed, false);
      assert.equal((await ask(made.key)).status, 200);
      const renamed = succeeded(await admin.patch<GateKey>(`${at}/${made.id}`, { name: 'Supabase' }));
      assert.deepEqual([renamed.name, renamed.signed], ['Supabase', false]);
      succeeded(await admin.patch(`${at}/${made.id}`, { secret: 'wos_1234' }));
      const records = await auditOf(service, `gate_key:${made.id}`);
      assert.deepEqual(
        records.map(({ action }) => action),
        ['gate_key.created', ...Array<string>(3).fill('gate_key.updated')],
      );
      assert.doesNotMatch(JSON.stringify(records), /whsec_|wos_/);
    });

    it('are refused with the field by its name', async () => {
      const refused: [object, RegExp][] = [
        [{ name: 'two\nlines' }, /^name: must be at most 100/],
        [{ secret: '' }, /^secret: must be the secret/],
        [{ secret: 'has spaces' }, /^secret: must be the secret/],
        [{ secret: 'v1,whsec_abc' }, /^secret: is incomplete/],
        [{ shape: 'supabase' }, /^shape: unknown field$/],
      ];
      for (const [body, message] of refused)
        assertError(await admin.post(at, body), 400, 'invalid_request', message);
      const { id } = (await listed())[0] ?? { id: '' };
      assertError(
        await admin.patch(`${at}/${id}`, {}),
        400,
        'invalid_request',
        /^name or secret: is required/,
      );
      assertError(await admin.post('/waitlists/wl_nowhere/gate-keys', {}), 404, 'not_found');
      assertError(await admin.post(`${at}?environment=moon`, {}), 404, 'not_found');
    });

    it('are deleted at once, and only in their own waitlist and environment', async () => {
      const made = succeeded(await admin.post<GateKey>(at, {}), 201);
      const other = await service.waitlist();
      for (const where of [`/waitlists/${other.id}/gate-keys/${made.id}`, `${at}/none`])
        assertError(await admin.delete(where), 404, 'not_found');
      assertError(await admin.delete(`${at}/${made.id}?environment=development`), 404, 'not_found');
      assert.equal((await ask(made.key)).status, 200);
      assert.deepEqual(succeeded(await admin.delete(`${at}/${made.id}`)), { id: made.id, deleted: true });
      assertError(await ask(made.key), 401, 'unauthorized');
      assertError(await admin.patch(`${at}/${made.id}`, { name: 'x' }), 404, 'not_found');
      const actions = (await auditOf(service, `gate_key:${made.id}`)).map(({ action }) => action);
      assert.deepEqual(actions, ['gate_key.created', 'gate_key.deleted']);
    });

    it(`are at most ${HOOK_KEYS_MAX}, also when two are created at once`, async () => {
      const full = await service.waitlist();
      const { id } = await full.queue();
      const rows = Array.from({ length: HOOK_KEYS_MAX - 1 }, (_, i) => ({
        queue_id: id,
        id: Buffer.alloc(16, i + 1),
        hash: Buffer.alloc(32, i + 1),
        hint: 'x7Qa',
        name: '',
        created_at: service.clock.now,
      }));
      await service.context.db.query.insertInto('gate_key').values(rows).execute();
      const where = `/waitlists/${full.id}/gate-keys`;
      const answers = await Promise.all([admin.post(where, {}), admin.post(where, {})]);
      assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409]);
    });

    it('stop with their waitlist', async () => {
      const owner = await adminClient(service);
      const gone = await service.waitlist();
      const where = `/waitlists/${gone.id}/gate-keys`;
      const { key } = succeeded(await admin.post<GateKey>(where, {}), 201);
      succeeded(await owner.request('DELETE', `/waitlists/${gone.id}`, { body: { confirm: gone.id } }));
      assertError(await ask(key), 401, 'unauthorized');
    });

    it('are managed on the command line', async () => {
      const { environment, dataDir } = service.storage;
      const run = (...words: string[]) => typed(environment, 'gate-key', ...words, '--waitlist', list.id);
      const file = path.join(dataDir, 'secret');
      writeFileSync(file, `${WHSEC}\n`);
      const made = await jsonOf<GateKey>(
        environment,
        ...['gate-key', 'create', '--waitlist', list.id, '--name', 'CLI', '--secret-file', file],
      );
      assert.deepEqual([made.name, made.signed], ['CLI', true]);
      assert.match((await run('list')).out, new RegExp(`${made.id} .*…${made.hint} .*CLI .*yes`));
      assert.equal((await run('update', made.id, '--unsigned')).out.trim(), `Updated ${made.id}.`);
      assert.equal((await ask(made.key)).status, 200);
      for (const wrong of [['--unsigned', '--secret-file', file], [], ['--secret-file', '/nowhere']])
        assert.equal((await run('update', made.id, ...wrong)).code, 2, wrong.join(' '));
      assert.equal((await run('delete', made.id)).out.trim(), `Deleted ${made.id}.`);
      assertError(await ask(made.key), 401, 'unauthorized');
      assert.equal((await run('delete', made.id)).code, 1);
      const quiet = await run('create', '--quiet');
      assert.match(quiet.out, /^dlg_\w{40}$/);
    });
  });
});
