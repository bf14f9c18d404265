import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig } from '../../src/config/config.ts';
import { copyDatabase } from '../../src/db/copy/copy-database.ts';
import type { Database } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { COPIED_TABLES } from '../../src/db/table-keys.ts';
import { openDatabase } from '../../src/installation/open.ts';
import { createLogger } from '../../src/lib/log.ts';
import { updateMailSettings } from '../../src/mail/update-settings.ts';
import { eraseEntry } from '../../src/waitlist/entries/erase-entry.ts';
import { importFile } from '../../src/waitlist/transfer/import/import-start.ts';
import type { PresentedEntry } from '../../src/wire/entry.ts';
import { OTHER, targetFor } from '../support/copy-target.ts';
import { forEachEngine, listOver, type Service, startService } from '../support/harness.ts';
import { runCommand, startCommand } from '../support/process.ts';
import { createStorage, type Storage } from '../support/storage.ts';
import { jsonOf, typed } from '../support/terminal.ts';
import { endpointFor } from '../support/webhooks.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-copy-'));
after(() => rmSync(directory, { recursive: true, force: true }));

/** Something in every corner: statuses, referrals, old codes, invites, keys, an endpoint, events and mails. */
async function fill(service: Service, people: number) {
  const list = await service.waitlist({ boost: 3 });
  const queue = await list.queue();
  await endpointFor(service.context, queue, 'https://127.0.0.1/hook');
  await updateMailSettings(service.context, list.id, { kinds: ['welcome', 'invite'], footer: 'Bye' });
  const rows = Array.from(
    { length: people },
    (_, at) => `p${at}@example.com,OLD-${at},${at % 7 === 3 ? `OLD-${at - 2}` : ''},plan ${at % 3}`,
  );
  const file = path.join(directory, `${list.id}.csv`);
  writeFileSync(file, `email,referral_code,referred_by,plan\n${rows.join('\n')}\n`);
  await importFile(service.context, queue, file, { confirmedBy: 'ada' });
  await list.signup({ email: 'ü@exämple.com', metadata: { text: '🎉 "\\\n' }, referredBy: 'p5@example.com' });
  const open = await list.invite('p1@example.com');
  const accepted = await list.invite('p2@example.com');
  await service.accept(accepted.code);
  await eraseEntry(service.context, queue, 'p9@example.com');
  return { list, open, accepted };
}

forEachEngine('bulk', (engine) => {
  async function withStorages(work: (source: Storage, target: Storage) => Promise<void>): Promise<void> {
    const source = await createStorage(engine, { migrated: true });
    const target = await createStorage(OTHER[engine]);
    try {
      await work(source, target);
    } finally {
      await source.remove();
      await target.remove();
    }
  }

  /** Fills the source, and closes it before it is copied. */
  async function fillSource(
    storage: Storage,
    people: number,
    work: (filled: Awaited<ReturnType<typeof fill>>) => Promise<void>,
  ): Promise<void> {
    const service = await startService(engine, { storage, startAt: Date.now() }); // Commands go by the real time.
    try {
      await work(await fill(service, people));
    } finally {
      await service.close();
    }
  }

  describe(`a copy from ${engine} to ${OTHER[engine]}`, () => {
    it('holds everything, and everything in it works', () =>
      withStorages(async (source, target) => {
        const { to, environment } = targetFor(source, target);
        let [id, key, open, accepted] = ['', '', '', ''];
        let entries: PresentedEntry[] = [];
        let positions: PresentedEntry[] = [];
        await fillSource(source, 1_500, async (filled) => {
          ({ id, key } = filled.list);
          [open, accepted] = [filled.open.code, filled.accepted.code];
          entries = await filled.list.walk({ limit: 200 });
          positions = await filled.list.walk({ limit: 200, sort: 'position' });
          // In a process of its own, because locks do not hold against the process that has them.
          const refused = await runCommand(source.environment, 'copy', '--to', to);
          assert.deepEqual([refused.code, /stop/.test(refused.stderr)], [1, true], refused.stderr);
        });

        const { rows, tables } = await jsonOf<{
          rows: number;
          tables: { table: string; rows: number }[];
        }>(source.environment, 'copy', '--to', to);
        assert.deepEqual(
          tables.map(({ table }) => table),
          COPIED_TABLES,
        );
        assert.ok(rows > 6_000);
        const again = await typed(source.environment, 'copy', '--to', to);
        assert.deepEqual([again.code, /already contains data/.test(again.error)], [1, true]);

        const doctor = await jsonOf<{ healthy: boolean }>(environment, 'doctor');
        assert.equal(doctor.healthy, true);
        if (OTHER[engine] === 'sqlite')
          assert.equal(statSync(path.join(target.dataDir, 'master.key')).mode & 0o777, 0o600);

        const moved = await startService(OTHER[engine], { storage: { ...target, environment } });
        try {
          const list = listOver(moved, id, key);
          assert.deepEqual(await list.walk({ limit: 200 }), entries);
          assert.deepEqual(await list.walk({ limit: 200, sort: 'position' }), positions);
          assert.equal((await moved.check(open)).body.valid, true);
          assert.equal((await moved.accept(open)).status, 200);
          assert.equal((await moved.accept(accepted)).status, 409);
          await list.signup({ email: 'n1@example.com', referredBy: entries[7]?.referralCode });
          await list.signup({ email: 'n2@example.com', referredBy: 'OLD-7' });
          const before = entries[7]?.referrals ?? 0;
          assert.equal((await list.lookup('p7@example.com')).body.referrals, before + 2);
          assert.equal((await moved.waitlist()).id.startsWith('wl_'), true);
        } finally {
          await moved.close();
        }
      }));

    it('does not serve when it was killed, and continues when run again', () =>
      withStorages(async (source, target) => {
        const { to, environment } = targetFor(source, target);
        let [id, key] = ['', ''];
        await fillSource(source, 6_000, async ({ list }) => {
          ({ id, key } = list);
        });

        const { child, finished } = startCommand(source.environment, 'copy', '--to', to);
        const db = await openTarget(environment);
        try {
          let over = false;
          finished.then(() => {
            over = true;
          });
          while (!over && (await countEntries(db)) === 0) await sleep(5);
          assert.equal(over, false);
        } finally {
          child.kill('SIGKILL');
          await db.close();
        }
        await finished;
        const refused = await typed(environment, 'waitlist', 'list');
        assert.deepEqual([refused.code, /was interrupted/.test(refused.error)], [75, true], refused.error);

        await jsonOf(source.environment, 'copy', '--to', to);
        assert.equal((await jsonOf<{ healthy: boolean }>(environment, 'doctor')).healthy, true);
        const moved = await startService(OTHER[engine], { storage: { ...target, environment } });
        try {
          assert.equal((await listOver(moved, id, key).page()).body.total, 6_001);
        } finally {
          await moved.close();
        }
      }));

    it('continues when it was killed before the target had the whole schema', () =>
      withStorages(async (source, target) => {
        const { to, environment } = targetFor(source, target);
        await fillSource(source, 12, async () => {});
        const db = await openTarget(environment);
        await migrate(db, 1).finally(db.close);
        const { rows } = await jsonOf<{ rows: number }>(source.environment, 'copy', '--to', to);
        assert.ok(rows > 12);
      }));

    it('is rejected when the source changed before it continued', () =>
      withStorages(async (source, target) => {
        const { to, environment } = targetFor(source, target);
        const service = await startService(engine, { storage: source });
        const db = await openTarget(environment);
        try {
          const list = await service.waitlist();
          await list.signup({ email: 'a@example.com' });
          const other = await openTarget(source.environment);
          const stopped = copyDatabase(unlocked(other), db, (_, table) => {
            if (table === 'rank_count') throw new Error('stopped');
          });
          await assert.rejects(stopped.finally(other.close), /stopped/);
          await list.signup({ email: 'b@example.com' });
        } finally {
          await db.close();
          await service.close();
        }
        const { code, error } = await typed(source.environment, 'copy', '--to', to);
        assert.deepEqual([code, /the source has changed/.test(error)], [1, true], error);
        const refused = await typed(environment, 'waitlist', 'list');
        assert.deepEqual([refused.code, /was interrupted/.test(refused.error)], [75, true]);
      }));

    it('rejects a target that is not empty or not a database', () =>
      withStorages(async (source, target) => {
        const { to } = targetFor(source, target);
        await (await startService(engine, { storage: source })).close();
        await (await startService(OTHER[engine], { storage: target })).close();
        const held = await typed(source.environment, 'copy', '--to', to);
        assert.deepEqual([held.code, /already contains data/.test(held.error)], [1, true], held.error);
        const usage = await typed(source.environment, 'copy', '--to', 'mysql://localhost/x');
        assert.equal(usage.code, 2);
      }));
  });
});

describe('a copy from PostgreSQL', () => {
  it('is refused beside a server whose URL gives its connections another name', async () => {
    const source = await createStorage('postgres', { migrated: true });
    const target = await createStorage('sqlite');
    const url = new URL(source.environment.DATABASE_URL ?? '');
    url.searchParams.set('application_name', 'acme');
    const named = { ...source, environment: { ...source.environment, DATABASE_URL: url.href } };
    const service = await startService('postgres', { storage: named });
    try {
      for (const { environment } of [source, named]) {
        const { code, error } = await typed(environment, 'copy', '--to', `sqlite:${target.dataDir}`);
        assert.equal(code, 1);
        assert.match(error, /the source is in use: stop all Doorlist processes/);
      }
    } finally {
      await service.close();
      await source.remove();
      await target.remove();
    }
  });
});

function openTarget(environment: Record<string, string>): Promise<Database> {
  return openDatabase(readConfig(environment), createLogger('silent'));
}

/** Without the refusal of a source that is in use: the service that filled it still is. */
function unlocked(db: Database): Database {
  return { ...db, freeze: async () => {} };
}

async function countEntries(db: Database): Promise<number> {
  if (!(await db.hasTable(db.query, 'entry'))) return 0;
  const rows = await db.query.selectFrom('entry').select('seq').limit(1).execute();
  return rows.length;
}
