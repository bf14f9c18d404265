import assert from 'node:assert/strict';
import { copyFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { tryLock } from '../src/db/sqlite/lock.ts';
import {
  generateMasterKey,
  isMasterKeySaved,
  MasterKeyProblem,
  masterKeyFromFile,
} from '../src/vault/master-key.ts';
import { afterTest } from './support/cleanup.ts';
import { forEachEngine, startService } from './support/harness.ts';
import { startCommand } from './support/process.ts';
import { createStorage, type Storage } from './support/storage.ts';
import { command, jsonOf, typed } from './support/terminal.ts';

interface Findings {
  findings: { what: string; ok: boolean; detail: string }[];
}

const keyFile = ({ dataDir }: Storage) => path.join(dataDir, 'master.key');
const read = (file: string) => readFileSync(file, 'utf8').trim();

forEachEngine('bulk', (engine) => {
  const prepared = async () => {
    const storage = await createStorage(engine, { migrated: true });
    afterTest(storage.remove);
    await jsonOf(storage.environment, 'migrate');
    await jsonOf(storage.environment, 'waitlist', 'create', 'wl_acme', '--name', 'Acme');
    return storage;
  };
  /** As if the command had been killed after its commit, and before it renamed the file. */
  const interrupted = async () => {
    const storage = await prepared();
    const file = keyFile(storage);
    copyFileSync(file, `${file}.kept`);
    await jsonOf(storage.environment, 'master-key', 'rotate');
    renameSync(file, `${file}.next`);
    renameSync(`${file}.kept`, file);
    return storage;
  };
  const findingOf = async (storage: Storage, words: string, environment: Record<string, string> = {}) => {
    const { json } = await command<Findings>({ ...storage.environment, ...environment }, words);
    return json.findings.find(({ what }) => what === 'master key rotation');
  };

  describe('an interrupted rotation of the master key', () => {
    it('shows the key that opens the database, and marks that one as backed up', async () => {
      const storage = await interrupted();
      const next = read(`${keyFile(storage)}.next`);
      const { key } = await jsonOf<{ key: string }>(storage.environment, 'master-key', 'show');
      assert.equal(key, next);
      const [first, second] = masterKeyFromFile(storage.dataDir).load();
      assert.ok(first && second);
      assert.deepEqual(
        [isMasterKeySaved(storage.dataDir, first), isMasterKeySaved(storage.dataDir, second)],
        [false, true],
      );
      await jsonOf(storage.environment, 'master-key', 'rotate');
      assert.equal(read(keyFile(storage)), next);
      assert.equal(existsSync(`${keyFile(storage)}.next`), false);
    });

    it('is named by status and doctor, until it is finished', async () => {
      const storage = await interrupted();
      for (const words of ['status', 'doctor']) {
        const finding = await findingOf(storage, words);
        assert.equal(finding?.ok, false);
        assert.match(
          finding?.detail ?? '',
          /the database uses the key in master\.key\.next.*`master-key rotate`/,
        );
      }
      await jsonOf(storage.environment, 'master-key', 'rotate');
      for (const words of ['status', 'doctor']) assert.equal(await findingOf(storage, words), undefined);
    });

    it('that had not changed anything is named too', async () => {
      const storage = await prepared();
      writeFileSync(`${keyFile(storage)}.next`, `${generateMasterKey()}\n`, { mode: 0o600 });
      const finding = await findingOf(storage, 'status');
      assert.equal(finding?.ok, false);
      assert.match(finding?.detail ?? '', /before anything was changed: run `master-key rotate`/);
      const { key } = await jsonOf<{ key: string }>(storage.environment, 'master-key', 'show');
      assert.equal(key, read(keyFile(storage)));
    });

    it('between variables is named with the next step', async () => {
      const storage = await createStorage(engine, { migrated: true });
      afterTest(storage.remove);
      const [current, next] = [generateMasterKey(), generateMasterKey()];
      const both = { DOORLIST_MASTER_KEY: current, DOORLIST_MASTER_KEY_NEXT: next };
      await jsonOf({ ...storage.environment, ...both }, 'migrate');
      assert.match(
        (await findingOf(storage, 'status', both))?.detail ?? '',
        /still uses DOORLIST_MASTER_KEY: run/,
      );
      await jsonOf({ ...storage.environment, ...both }, 'master-key', 'rotate');
      assert.match(
        (await findingOf(storage, 'status', both))?.detail ?? '',
        /set DOORLIST_MASTER_KEY to its value/,
      );
      const { key } = await jsonOf<{ key: string }>(
        { ...storage.environment, ...both },
        'master-key',
        'show',
      );
      assert.equal(key, next);
    });

    it('by a kill at any moment loses nothing, and can be finished', async () => {
      const storage = await prepared();
      for (const delayMs of [150, 400, 600, 800, 1_000, 1_300]) {
        const { child, finished } = startCommand(storage.environment, 'master-key', 'rotate');
        const killing = setTimeout(() => child.kill('SIGKILL'), delayMs);
        await finished;
        clearTimeout(killing);
        const { key } = await jsonOf<{ key: string }>(storage.environment, 'master-key', 'show');
        const alone = { ...storage.environment, DOORLIST_MASTER_KEY: key };
        assert.equal((await jsonOf<unknown[]>(alone, 'waitlist', 'list')).length, 1);
      }
      await jsonOf(storage.environment, 'master-key', 'rotate');
      assert.equal(await findingOf(storage, 'status'), undefined);
      const service = await startService(engine, { storage });
      afterTest(service.close);
      assert.ok(await service.context.registry.queue('wl_acme', 'production'));
    });
  });

  describe('two rotations of the master key', () => {
    it('do not run at once', async () => {
      const storage = await prepared();
      const before = read(keyFile(storage));
      const release = tryLock(storage.dataDir, 'master-key.lock');
      assert.ok(release);
      const { code, error } = await typed(storage.environment, 'master-key', 'rotate');
      release();
      assert.equal(code, 1);
      assert.match(error, /another rotation of the master key is running/);
      assert.equal(read(keyFile(storage)), before);
      assert.equal(existsSync(`${keyFile(storage)}.next`), false);
    });
  });
});

describe('the end of a rotation', () => {
  it('renames only the key that was committed, and keeps every other one', async () => {
    const storage = await createStorage('sqlite');
    afterTest(storage.remove);
    const source = masterKeyFromFile(storage.dataDir);
    source.create();
    const committed = source.prepareRotation();
    source.finishRotation(committed);
    assert.deepEqual(source.load()[0]?.key, committed.key);
    // Another rotation has prepared its key meanwhile, and a late one ends again.
    const other = source.prepareRotation();
    source.finishRotation(committed);
    assert.deepEqual(
      source.load().map(({ key }) => key),
      [committed.key, other.key],
    );
    writeFileSync(keyFile(storage), `${generateMasterKey()}\n`);
    assert.throws(() => source.finishRotation(committed), MasterKeyProblem);
    assert.deepEqual(source.load()[1]?.key, other.key);
  });
});
