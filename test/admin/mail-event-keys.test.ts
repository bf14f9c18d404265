import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type AdminClient, adminClient, auditOf, succeeded } from '../support/admin.ts';
import { assertError, forEachEngine, type List, type Service, startService } from '../support/harness.ts';
import { jsonOf, typed } from '../support/terminal.ts';

interface MailEventKey {
  id: string;
  key: string;
  url: string;
  hint: string;
  name: string;
  signed: boolean;
}

const WHSEC = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

forEachEngine((engine) => {
  describe('mail event keys', () => {
    let service: Service;
    let admin: AdminClient;
    let list: List;
    let at: string;
    before(async () => {
      service = await startService(engine);
      admin = await adminClient(service, 'admin');
      list = await service.waitlist();
      at = `/waitlists/${list.id}/mail-event-keys`;
    });
    after(() => service.close());
    const report = (key: string) =>
      service.request('POST', `/mail-events/v1/${key}`, { body: { events: [] } });

    it('are created, listed, changed and deleted, and leave a trail', async () => {
      const { key, url, ...shown } = succeeded(await admin.post<MailEventKey>(at, { name: 'Resend' }), 201);
      assert.match(key, new RegExp(`^dle_${(await list.queue()).tag}[0-9A-Za-z]{34}$`));
      assert.equal(url, `${service.config.publicUrl}/mail-events/v1/${key}`);
      const { mailEventKeys } = succeeded(await admin.get<{ mailEventKeys: MailEventKey[] }>(at));
      assert.deepEqual(mailEventKeys, [shown]);
      assert.equal((await report(key)).status, 200);
      assert.equal(
        succeeded(await admin.patch<MailEventKey>(`${at}/${shown.id}`, { secret: WHSEC })).signed,
        true,
      );
      assertError(await report(key), 401, 'unauthorized', /is not signed/);
      const [{ secret } = {}] = await service.context.db.query
        .selectFrom('mail_event_key')
        .select('secret')
        .execute();
      assert.ok(secret && !Buffer.from(secret).includes(WHSEC.slice(6)));
      assert.deepEqual(succeeded(await admin.delete(`${at}/${shown.id}`)), { id: shown.id, deleted: true });
      assertError(await report(key), 401, 'unauthorized');
      assertError(await admin.delete(`${at}/${shown.id}`), 404, 'not_found', /mail event key/);
      const trail = await auditOf(service, `mail_event_key:${shown.id}`);
      const did = ['created', 'updated', 'deleted'].map((verb) => `mail_event_key.${verb}`);
      assert.deepEqual(
        trail.map(({ action }) => action),
        did,
      );
      assert.doesNotMatch(JSON.stringify(trail), /whsec_/);
    });

    it('are refused with the field by its name', async () => {
      const refused: [object, RegExp][] = [
        [{ secret: 'has spaces' }, /^secret: must be the signing secret/],
        [{ secret: 'whsec_abc' }, /^secret: is incomplete/],
        [{ shape: 'resend' }, /^shape: unknown field$/],
      ];
      for (const [body, message] of refused)
        assertError(await admin.post(at, body), 400, 'invalid_request', message);
    });

    it('are managed on the command line', async () => {
      const { environment, dataDir } = service.storage;
      const file = path.join(dataDir, 'secret');
      writeFileSync(file, `${WHSEC}\n`);
      const run = (...words: string[]) =>
        typed(environment, 'mail-event-key', ...words, '--waitlist', list.id);
      const made = await jsonOf<MailEventKey>(
        environment,
        ...['mail-event-key', 'create', '--waitlist', list.id, '--name', 'CLI', '--secret-file', file],
      );
      assert.deepEqual([made.name, made.signed], ['CLI', true]);
      assert.equal((await run('update', made.id, '--unsigned')).out.trim(), `Updated ${made.id}.`);
      assert.equal((await report(made.key)).status, 200);
      assert.match((await run('list')).out, new RegExp(`${made.id} .*…${made.hint} .*CLI .*no`));
      assert.equal((await run('delete', made.id)).out.trim(), `Deleted ${made.id}.`);
      assert.match((await run('create', '--quiet')).out, /^dle_\w{40}$/);
    });
  });
});
