import assert from 'node:assert/strict';
import {
  chownSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Config } from '../src/config/config.ts';
import type { MigrationStep } from '../src/db/migrate.ts';
import { noteMigration } from '../src/installation/log-migration.ts';
import { NOBODY, withoutAnotherUser } from './support/another-user.ts';
import { afterTest } from './support/cleanup.ts';
import { clientFor, forEachEngine, listOver } from './support/harness.ts';
import { runCommandAs, startProcess } from './support/process.ts';
import { createStorage, type Storage } from './support/storage.ts';
import { jsonOf, typed } from './support/terminal.ts';

const PASSPHRASE = { DOORLIST_BACKUP_PASSPHRASE: 'correct horse battery' };

/** Their names, but for the files of SQLite that come and go. */
function notOwnedByNobody(dataDir: string): string[] {
  return readdirSync(dataDir).filter((name) => {
    const { uid, gid } = statSync(path.join(dataDir, name), { throwIfNoEntry: false }) ?? NOBODY;
    return uid !== NOBODY.uid || gid !== NOBODY.gid;
  });
}

function directory(): string {
  const made = mkdtempSync(path.join(tmpdir(), 'doorlist-test-'));
  afterTest(() => rmSync(made, { recursive: true, force: true }));
  chownSync(made, NOBODY.uid, NOBODY.gid);
  return made;
}

const skip = withoutAnotherUser();

forEachEngine((engine) => {
  describe("root's commands on the data directory of another user", { skip }, () => {
    let storage: Storage;
    before(async () => {
      storage = await createStorage(engine, { migrated: true });
      for (const name of ['', ...readdirSync(storage.dataDir)])
        chownSync(path.join(storage.dataDir, name), NOBODY.uid, NOBODY.gid);
    });
    after(() => storage.remove());

    it('leave everything to that user, whose server goes on with a rotated key', async () => {
      const { environment, dataDir } = storage;
      const server = await startProcess(environment, NOBODY);
      afterTest(server.stop);
      await jsonOf(environment, 'waitlist', 'create', 'wl_acme', '--name', 'Acme');
      const { key } = await jsonOf<{ key: string }>(
        environment,
        ...['key', 'create', '--waitlist', 'wl_acme', '--env', 'production'],
      );
      await jsonOf(environment, 'master-key', 'rotate');
      await jsonOf(environment, 'master-key', 'show');
      await jsonOf(environment, 'dkim-key', 'generate', '--domain', 'example.com');
      await jsonOf(environment, 'migrate');
      assert.deepEqual(notOwnedByNobody(dataDir), []);
      assert.equal(
        (await listOver(clientFor(server.url), 'wl_acme', key).signup({ email: 'ada@example.com' })).status,
        201,
      );
      assert.equal((await server.stop()).code, 0);
      const again = await startProcess(environment, NOBODY);
      afterTest(again.stop);
      assert.equal(
        (await listOver(clientFor(again.url), 'wl_acme', key).signup({ email: 'bob@example.com' })).status,
        201,
      );
      assert.equal((await again.stop()).code, 0);
    });
  });
});

it("a database that root creates in another user's directory is that user's", { skip }, async () => {
  const dataDir = directory();
  const environment = { DOORLIST_DATA_DIR: dataDir };
  await jsonOf(environment, 'migrate');
  assert.deepEqual(notOwnedByNobody(dataDir), []);
  noteMigration({ dataDir } as Config)({ from: 1, to: 2, startedAt: 0 } as MigrationStep);
  assert.deepEqual(notOwnedByNobody(dataDir), []);
  const server = await startProcess(environment, NOBODY);
  assert.equal((await server.stop()).code, 0);
});

describe("root's backups and restores", { skip }, () => {
  it('do not get into the way of the user of the data directory', async () => {
    const storage = await createStorage('sqlite');
    afterTest(storage.remove);
    chownSync(storage.dataDir, NOBODY.uid, NOBODY.gid);
    const environment = { ...storage.environment, ...PASSPHRASE };
    await runCommandAs(NOBODY, environment, 'migrate');
    const target = directory();
    const ofRoot = path.join(target, 'root.backup');
    await jsonOf(environment, 'backup', ofRoot);
    assert.deepEqual(notOwnedByNobody(storage.dataDir), []);
    const own = await runCommandAs(NOBODY, environment, 'backup', path.join(target, 'own.backup'));
    assert.deepEqual([own.code, own.stderr], [0, '']);

    const restored = directory();
    const there = { ...environment, DOORLIST_DATA_DIR: restored };
    await jsonOf(there, 'restore', ofRoot);
    assert.deepEqual(notOwnedByNobody(restored), []);
    const server = await startProcess(there, NOBODY);
    assert.equal((await server.stop()).code, 0);
  });

  it('a lock that another user left is named', async () => {
    const storage = await createStorage('sqlite');
    afterTest(storage.remove);
    chownSync(storage.dataDir, NOBODY.uid, NOBODY.gid);
    const environment = { ...storage.environment, ...PASSPHRASE };
    await runCommandAs(NOBODY, environment, 'migrate');
    const lock = path.join(storage.dataDir, 'backup.lock');
    writeFileSync(lock, '', { mode: 0o600 });
    const { code, stderr } = await runCommandAs(
      NOBODY,
      environment,
      ...['backup', path.join(directory(), 'own.backup')],
    );
    assert.equal(code, 1);
    assert.match(stderr, new RegExp(`${lock}: permission denied`));
  });

  it('a link under the name of a new file is never followed', async () => {
    const storage = await createStorage('sqlite');
    afterTest(storage.remove);
    await jsonOf(storage.environment, 'migrate');
    chownSync(storage.dataDir, NOBODY.uid, NOBODY.gid);
    const mine = path.join(directory(), 'mine');
    writeFileSync(mine, 'mine');
    symlinkSync(mine, path.join(storage.dataDir, 'master.key.saved'));
    assert.equal((await typed(storage.environment, 'master-key', 'show')).code, 0);
    assert.equal(readFileSync(mine, 'utf8'), 'mine');
    assert.equal(statSync(mine).uid, 0);
  });
});
