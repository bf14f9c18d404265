import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { removeDeleted } from '../../src/waitlist/upkeep/remove-deleted.ts';
import { adminClient, succeeded } from '../support/admin.ts';
import { afterTest } from '../support/cleanup.ts';
import { assertError, forEachEngine, type List, type Service, startService } from '../support/harness.ts';
import { createStorage, type Storage } from '../support/storage.ts';
import { command, jsonOf, typed } from '../support/terminal.ts';

/** Beyond what a number of JavaScript is exact for: SQLite's binding refuses to read it. */
const DAMAGED = '9007199254740992';

forEachEngine((engine) => {
  describe('a number that is out of range', () => {
    let storage: Storage;
    let service: Service;
    before(async () => {
      storage = await createStorage(engine, { migrated: true });
      service = await startService(engine, { storage });
    });
    after(async () => {
      await service.close();
      await storage.remove();
    });
    const write = (text: string) => sql.raw(text).execute(service.context.db.query);
    const listOfOne = async (): Promise<List> => {
      const list = await service.waitlist();
      await list.signup({ email: 'ada@example.com' });
      await list.invite('bob@example.com');
      return list;
    };

    it('is refused by the API, and nothing is written', async () => {
      const admin = await adminClient(service);
      const list = await listOfOne();
      const before = await admin.get(`/waitlists/${list.id}/mail/settings`);
      for (const value of [2 ** 53, -(2 ** 53), 3_155_760_000_001, 59_999]) {
        const answer = await admin.patch(`/waitlists/${list.id}/mail/settings`, { inviteReminderMs: value });
        assertError(answer, 400, 'invalid_request', /^inviteReminderMs: must be/);
      }
      for (const field of ['boost', 'referralCap', 'inviteExpiryMs'])
        assertError(
          await admin.patch(`/waitlists/${list.id}`, { [field]: 2 ** 53 }),
          400,
          'invalid_request',
          new RegExp(`^${field}: must be`),
        );
      assert.deepEqual((await admin.get(`/waitlists/${list.id}/mail/settings`)).body, before.body);
    });

    it('is refused by the database, which commits nothing of its transaction', async () => {
      const { db } = service.context;
      const list = await listOfOne();
      const set = (value: number) =>
        db.transaction(async (trx) => {
          const mine = () => trx.updateTable('waitlist').where('public_id', '=', list.id);
          await mine().set({ name: 'half' }).execute();
          await mine().set({ invite_reminder_ms: value }).execute();
        });
      for (const value of [2 ** 53, -(2 ** 53), 1e308])
        await assert.rejects(set(value), /beyond the range of exact whole numbers/);
      await assert.rejects(
        db.transaction(async (trx) => {
          await trx.updateTable('waitlist').where('public_id', '=', list.id).set({ name: 'half' }).execute();
          trx.insert('environment', [{ name: 'huge', created_at: 2 ** 53 }]);
        }),
      );
      const row = await db.query
        .selectFrom('waitlist')
        .select(['name', 'invite_reminder_ms'])
        .where('public_id', '=', list.id)
        .executeTakeFirstOrThrow();
      assert.deepEqual(row, { name: 'Acme', invite_reminder_ms: 86_400_000 });
      await set(Number.MAX_SAFE_INTEGER);
    });

    it('stops neither signups nor lists, another server or `waitlist delete`, and is reported', async () => {
      const list = await listOfOne();
      const healthy = await listOfOne();
      for (const change of [
        `update waitlist set invite_reminder_ms = ${DAMAGED}, referral_cap = ${DAMAGED}, invite_expiry_ms = -${DAMAGED}, created_at = ${DAMAGED} where public_id = '${list.id}'`,
        `update entry set created_at = ${DAMAGED} where queue_id = ${(await list.queue()).id}`,
        `update invite set created_at = ${DAMAGED} where queue_id = ${(await list.queue()).id}`,
      ])
        await write(change);
      const second = await startService(engine, { storage });
      afterTest(() => second.close());
      const admin = await adminClient(second);
      const there = second.existing(list);
      assert.equal((await there.signup({ email: 'carl@example.com' })).status, 201);
      assert.equal((await there.page()).body.entries.length, 2);
      assert.equal((await second.existing(healthy).page()).body.entries.length, 1);
      for (const where of [
        '/waitlists',
        `/waitlists/${list.id}`,
        `/waitlists/${list.id}/mail/settings`,
        `/waitlists/${list.id}/entries`,
        `/waitlists/${list.id}/invites`,
        '/health',
      ])
        succeeded(await admin.get(where));
      const shown = succeeded(
        await admin.get<{ inviteReminderMs: number }>(`/waitlists/${list.id}/mail/settings`),
      );
      assert.equal(shown.inviteReminderMs, 86_400_000, 'the default applies');

      const { json } = await command<{ findings: { what: string; ok: boolean; detail: string }[] }>(
        storage.environment,
        'doctor',
      );
      const found = json.findings.find(({ what }) => what === 'numbers');
      assert.equal(found?.ok, false);
      for (const name of ['invite_reminder_ms', 'referral_cap', 'invite_expiry_ms', 'created_at'])
        assert.match(found?.detail ?? '', new RegExp(`waitlist\\.${name}: 1 beyond`));
      assert.match(found?.detail ?? '', /entry\.created_at: 1 beyond/);
      assert.match(found?.detail ?? '', new RegExp(`${list.id}: inviteReminderMs is out of range`));

      succeeded(await admin.patch(`/waitlists/${list.id}/mail/settings`, { inviteReminderMs: 3_600_000 }));
      await jsonOf(storage.environment, 'waitlist', 'delete', list.id, '--confirm', list.id);
      await removeDeleted(second.context);
      assert.equal((await there.page()).status, 401);
    });

    it('is restored with its backup', {
      skip: engine === 'postgres' && 'PostgreSQL has its own tools',
    }, async () => {
      const list = await listOfOne();
      await write(`update waitlist set invite_reminder_ms = ${DAMAGED} where public_id = '${list.id}'`);
      const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-damaged-'));
      afterTest(() => rmSync(directory, { recursive: true, force: true }));
      const passphrase = { DOORLIST_BACKUP_PASSPHRASE: 'four words of any kind' };
      const file = path.join(directory, 'backup');
      assert.equal((await typed({ ...storage.environment, ...passphrase }, 'backup', file)).code, 0);
      const home = { DOORLIST_DATA_DIR: path.join(directory, 'home'), ...passphrase };
      const { out } = await typed(home, 'restore', file);
      assert.match(out, /^Restored the backup/);
      assert.match(out, /numbers: .*invite_reminder_ms: 1 beyond/);
      const all = await jsonOf<{ waitlists: { id: string }[] } | { id: string }[]>(home, 'waitlist', 'list');
      assert.ok(JSON.stringify(all).includes(list.id));
    });
  });
});
