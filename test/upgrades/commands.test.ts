import '../support/next-migrations.ts';

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import { loadCommands } from '../../src/commands/command-groups.ts';
import { SCHEMA_VERSION } from '../../src/db/migrate.ts';
import { SERVE_LOCK, tryLock } from '../../src/db/sqlite/lock.ts';
import { VERSION } from '../../src/lib/root.ts';
import { afterTest } from '../support/cleanup.ts';
import {
  createEarlier,
  EARLIER,
  NEXT_RELEASE,
  setVersion,
  updateByNewerRelease,
  versionOf,
} from '../support/earlier.ts';
import { OPENS_NONE, oneForEachWay, wordsFor } from '../support/every-command.ts';
import { forEachEngine } from '../support/harness.ts';
import { runCommandAs, startProcess } from '../support/process.ts';
import { createStorage, type Storage } from '../support/storage.ts';
import { command, jsonOf, typed } from '../support/terminal.ts';

/** They update the schema, or work on no installation. */
const NOT_REFUSED = [...OPENS_NONE, 'migrate'];
/** Reads the database as it is, also before an update. */
const READS_AS_IT_IS = ['backup'];
/** It is something wrong that they found. */
const REPORTS = ['status', 'doctor'];

forEachEngine('upgrades', (engine) => {
  describe('a database of an earlier release', () => {
    it('is left as it is by every command but migrate and serve, which say what to run', async () => {
      const { storage } = await createEarlier(engine);
      const refused = oneForEachWay(await loadCommands()).filter(
        ({ name }) => ![...NOT_REFUSED, ...READS_AS_IT_IS].includes(name),
      );
      assert.ok(refused.length > 8);
      for (const each of refused) {
        const { code, out, error } = await typed(storage.environment, ...wordsFor(each));
        assert.equal(code, REPORTS.includes(each.name) ? 1 : 75, `${each.name}: ${out}${error}`);
        assert.match(
          out + error,
          new RegExp(`has schema version ${EARLIER}.* needs version ${SCHEMA_VERSION}.*run \`migrate\``),
          each.name,
        );
      }
      assert.equal(await versionOf(storage), EARLIER);
    });

    it('is updated by migrate, which says from where to where', async () => {
      const { storage } = await createEarlier(engine);
      const told = await command<{ from: number; schema: number }>(storage.environment, 'migrate');
      assert.deepEqual(told.json, { from: EARLIER, schema: SCHEMA_VERSION });
      assert.match(told.error, new RegExp(`updated the schema from version ${EARLIER} to ${SCHEMA_VERSION}`));
      await assertCounted(storage);
    });

    it('is backed up by migrate before it is updated, and left alone if that fails', async (test) => {
      const { storage } = await createEarlier(engine);
      const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-upgrade-'));
      test.after(() => rmSync(directory, { recursive: true }));
      const environment = {
        ...storage.environment,
        DOORLIST_BACKUP_PASSPHRASE: 'a long passphrase for tests',
      };
      const refused = await typed(environment, 'migrate', '--backup', path.join(directory, 'nowhere', 'x'));
      assert.equal(refused.code, 1, refused.out);
      assert.equal(await versionOf(storage), EARLIER);
      if (engine === 'postgres') return; // Needs a pg_dump of the server's version: see backup.test.ts.
      const file = path.join(directory, 'before.backup');
      const { code, out, error } = await typed(environment, 'migrate', '--backup', file);
      assert.equal(code, 0, error);
      assert.match(out, /^Wrote .*before\.backup.*\n.*\nUpdated the schema from version \d+ to \d+\.$/m);
      assert.ok(statSync(file).size > 1_000);
      const { json } = await command<{ findings: { what: string; detail: string }[] }>(environment, 'status');
      assert.equal(
        json.findings.find(({ what }) => what === 'backup')?.detail,
        'last made less than a minute ago',
      );
    });

    it('is updated by serve, which logs from where to where', async () => {
      const { storage } = await createEarlier(engine);
      const server = await startProcess(storage.environment, NEXT_RELEASE);
      const { stdout } = await server.stop();
      assert.match(
        stdout,
        new RegExp(`"msg":"updated the schema from version ${EARLIER} to ${SCHEMA_VERSION}"`),
      );
      assert.equal(await versionOf(storage), SCHEMA_VERSION);
    });

    it('is not the target of a copy', async () => {
      const { storage } = await createEarlier(engine);
      const source = await createStorage('sqlite');
      afterTest(source.remove);
      await jsonOf(source.environment, 'migrate');
      const to = storage.environment.DATABASE_URL ?? `sqlite:${storage.dataDir}`;
      const { code, error } = await typed(source.environment, 'copy', '--to', to);
      assert.equal(code, 75);
      assert.match(error, /has schema version/);
      assert.equal(await versionOf(storage), EARLIER);
    });
  });

  describe('a database from before 0.1.0', () => {
    it('is refused by every command, and by serve, which say what to run once before', async () => {
      const { storage } = await createEarlier(engine);
      await setVersion(storage, EARLIER - 1);
      const told = new RegExp(
        `has schema version ${EARLIER - 1}.* run \`migrate\` of a checkout of Doorlist from before 0\\.1\\.0's schema once.*docs/upgrade\\.md`,
      );
      for (const words of [
        ['status'],
        ['doctor'],
        ['waitlist', 'list'],
        ['migrate'],
        ['backup', 'x.backup'],
      ]) {
        const { code, out, error } = await typed(storage.environment, ...words);
        assert.equal(code, REPORTS.includes(words.join(' ')) ? 1 : 75, words.join(' '));
        assert.match(out + error, told, words.join(' '));
      }
      const serving = await runCommandAs(NEXT_RELEASE, storage.environment, 'serve');
      assert.equal(serving.code, 75);
      assert.match(serving.stderr, told);
      assert.equal(await versionOf(storage), EARLIER - 1);
    });
  });

  describe('a database of a newer release', () => {
    it('is refused by every command, and by serve', async () => {
      const storage = await createStorage(engine);
      afterTest(storage.remove);
      await jsonOf(storage.environment, 'migrate');
      await updateByNewerRelease(storage);
      for (const words of [
        ['status'],
        ['doctor'],
        ['waitlist', 'list'],
        ['migrate'],
        ['master-key', 'show'],
      ]) {
        const { code, out, error } = await typed(storage.environment, ...words);
        assert.equal(code, REPORTS.includes(words.join(' ')) ? 1 : 75, words.join(' '));
        assert.match(
          out + error,
          /this Doorlist \S+ knows up to \d+: start Doorlist 9\.9\.9 or newer, which made it/,
          words.join(' '),
        );
      }
      const serving = await runCommandAs(NEXT_RELEASE, storage.environment, 'serve');
      assert.equal(serving.code, 75);
      assert.match(serving.stderr, /start Doorlist 9\.9\.9 or newer/);
      assert.equal(await versionOf(storage), SCHEMA_VERSION + 1);
    });
  });
});

forEachEngine('upgrades', (engine) => {
  describe('a database of a later build with the same version', () => {
    it('is refused, and the build is named', async () => {
      const storage = await createStorage(engine);
      afterTest(storage.remove);
      await jsonOf(storage.environment, 'migrate');
      await updateByNewerRelease(storage, VERSION);
      const { code, error } = await typed(storage.environment, 'waitlist', 'list');
      assert.equal(code, 75);
      assert.match(
        error,
        new RegExp(`knows up to \\d+: start the later build of Doorlist ${VERSION} that made it$`),
      );
    });
  });
});

describe('a data directory in use', () => {
  it('is not updated by migrate or by a second server', async () => {
    const { storage } = await createEarlier('sqlite');
    const release = tryLock(storage.dataDir, SERVE_LOCK);
    assert.ok(release);
    const migrating = await typed(storage.environment, 'migrate');
    assert.equal(migrating.code, 75);
    assert.match(migrating.error, /a Doorlist server is running on .*: stop it first/);
    const serving = await runCommandAs(NEXT_RELEASE, storage.environment, 'serve');
    assert.equal(serving.code, 75);
    assert.match(serving.stderr, /another Doorlist server is already running/);
    assert.equal(await versionOf(storage), EARLIER);
    release();
    assert.equal((await typed(storage.environment, 'migrate')).code, 0);
    assert.equal(await versionOf(storage), SCHEMA_VERSION);
  });

  it('says that migrate has nothing to do while a server of this release runs', async () => {
    const storage = await createStorage('sqlite');
    afterTest(storage.remove);
    await jsonOf(storage.environment, 'migrate');
    const release = tryLock(storage.dataDir, SERVE_LOCK);
    afterTest(() => release?.());
    assert.deepEqual(await jsonOf(storage.environment, 'migrate'), {
      from: SCHEMA_VERSION,
      schema: SCHEMA_VERSION,
    });
  });
});

describe('a backup of an earlier release', () => {
  it('is restored as it was, and says what to run next', async () => {
    const { storage } = await createEarlier('sqlite');
    const passphrase = { DOORLIST_BACKUP_PASSPHRASE: 'correct horse battery' };
    const file = path.join(storage.dataDir, 'earlier.backup');
    await jsonOf({ ...storage.environment, ...passphrase }, 'backup', file);
    assert.equal(await versionOf(storage), EARLIER);
    const target = await createStorage('sqlite');
    afterTest(target.remove);
    rmSync(path.join(target.dataDir, 'doorlist.db'), { force: true });
    const { code, out } = await typed({ ...target.environment, ...passphrase }, 'restore', file);
    assert.equal(code, 0, out);
    assert.match(out, new RegExp(`schema version ${EARLIER}. Start the server or run \`migrate\``));
    assert.equal(await versionOf(target), EARLIER);
    await jsonOf(target.environment, 'migrate');
    await assertCounted(target);
  });
});

async function assertCounted({ environment }: Storage): Promise<void> {
  const { json } = await command<{ findings: { what: string; ok: boolean; detail: string }[] }>(
    environment,
    'doctor',
  );
  const queues = json.findings.filter(({ what }) => what.startsWith('wl_'));
  assert.ok(queues.length > 0);
  for (const { ok, detail } of queues) assert.ok(ok, detail);
}
