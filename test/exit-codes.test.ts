import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import pg from 'pg';
import { loadCommands } from '../src/commands/command-groups.ts';
import { DatabaseUnavailable, type Engine } from '../src/db/database.ts';
import { SCHEMA_VERSION } from '../src/db/migrate.ts';
import { SERVE_LOCK, tryLock } from '../src/db/sqlite/lock.ts';
import { mayPass } from '../src/installation/explain-error.ts';
import { conflict, invalid, notFound, unavailable } from '../src/lib/errors.ts';
import { afterTest } from './support/cleanup.ts';
import { createEarlier, updateByNewerRelease } from './support/earlier.ts';
import { oneForEachWay, wordsFor } from './support/every-command.ts';
import { freePort } from './support/free-port.ts';
import { forEachEngine } from './support/harness.ts';
import { createStorage, type Storage } from './support/storage.ts';
import { command, jsonOf, typed } from './support/terminal.ts';

const TRY_AGAIN = 75;
const BOUNCE = ['mail', 'bounce', '/dev/null'];

/** These open no installation, or report on one that does not open. */
const REPORTS = ['doctor', 'status'];
const OPENS_NONE = ['serve', 'demo', 'restore', 'master-key generate', 'dkim-key generate', 'dkim-key show'];

async function installed(engine: Engine): Promise<Storage> {
  const storage = await createStorage(engine);
  afterTest(storage.remove);
  await jsonOf(storage.environment, 'migrate');
  return storage;
}

async function everyCommandSays75(environment: Record<string, string>, but: string[] = []): Promise<void> {
  const left = [...REPORTS, ...OPENS_NONE, ...but];
  const commands = oneForEachWay(await loadCommands()).filter(({ name }) => !left.includes(name));
  assert.ok(commands.length > 8);
  for (const each of commands) {
    const { code, out, error } = await typed(environment, ...wordsFor(each));
    assert.equal(code, TRY_AGAIN, `${each.name}: ${out}${error}`);
  }
}

describe('a command whose PostgreSQL', () => {
  it('is away is worth another try, whatever it is', async () => {
    const storage = await createStorage('postgres');
    afterTest(storage.remove);
    const environment = {
      ...storage.environment,
      DATABASE_URL: `postgres://doorlist:secret@127.0.0.1:${await freePort()}/doorlist`,
    };
    await everyCommandSays75(environment);
    const { json } = await command<{ code: string }>(environment, ...BOUNCE);
    assert.equal(json.code, 'unavailable');
  });

  it('lets nobody in, or is starting or stopping, is worth another try', () => {
    for (const state of ['28P01', '3D000', '53300', '57P01', '57P03', '25006']) {
      const cause = Object.assign(new pg.DatabaseError('no', 1, 'error'), { code: state });
      assert.equal(mayPass(new DatabaseUnavailable('no', { cause })), true, state);
    }
  });
});

describe('a command whose SQLite database', () => {
  it('is damaged is worth another try: it can be restored', async () => {
    const storage = await installed('sqlite');
    writeFileSync(path.join(storage.dataDir, 'doorlist.db'), Buffer.alloc(65_536, 'x'));
    await everyCommandSays75(storage.environment);
  });

  it('is locked, or whose disk is full or fails, is worth another try', () => {
    for (const errcode of [5, 261, 10, 13, 14])
      assert.equal(mayPass(Object.assign(new Error('no'), { errcode })), true, String(errcode));
    for (const code of ['ENOSPC', 'EIO', 'EMFILE'])
      assert.equal(mayPass(Object.assign(new Error('no'), { code })), true, code);
  });

  it('is in use by another server is worth another try', async () => {
    const { storage } = await createEarlier('sqlite', SCHEMA_VERSION - 1);
    const release = tryLock(storage.dataDir, SERVE_LOCK);
    assert.ok(release);
    afterTest(release);
    assert.equal((await typed(storage.environment, 'migrate')).code, TRY_AGAIN);
  });

  it('is being backed up by another command is worth another try', async () => {
    const storage = await installed('sqlite');
    const release = tryLock(storage.dataDir, 'backup.lock');
    assert.ok(release);
    afterTest(release);
    const environment = { ...storage.environment, DOORLIST_BACKUP_PASSPHRASE: 'a long passphrase for tests' };
    const { code, error } = await typed(environment, 'backup', path.join(storage.dataDir, 'x.backup'));
    assert.equal(code, TRY_AGAIN, error);
  });
});

forEachEngine((engine) => {
  describe('the schema of another release', () => {
    it('is worth another try if it is older', async () => {
      const { storage } = await createEarlier(engine, SCHEMA_VERSION - 1);
      await everyCommandSays75(storage.environment, ['migrate', 'backup']);
    });

    it('is worth another try if it is newer', async () => {
      const storage = await installed(engine);
      await updateByNewerRelease(storage);
      await everyCommandSays75(storage.environment);
    });
  });

  describe('what was asked for', () => {
    it('is not worth another try if it is refused, and not if it is not understood', async () => {
      const storage = await installed(engine);
      await jsonOf(storage.environment, 'waitlist', 'create', 'wl_acme', '--name', 'Acme');
      const codeOf = async (...words: string[]) => (await typed(storage.environment, ...words)).code;
      assert.equal(await codeOf(...BOUNCE), 1, 'no report');
      assert.equal(await codeOf('waitlist', 'create', 'wl_acme', '--name', 'Acme'), 1);
      assert.equal(await codeOf('waitlist', 'close', 'wl_other'), 1);
      assert.equal(await codeOf(...BOUNCE, 'and more'), 2);
      assert.equal(await codeOf('mail', 'bounce', '/nowhere'), 2);
    });
  });
});

describe('what an error says about another try', () => {
  it('is its kind', () => {
    assert.equal(mayPass(unavailable('too many at once')), true);
    for (const refused of [invalid('no'), notFound('no'), conflict('no')])
      assert.equal(mayPass(refused), false);
    assert.equal(mayPass(new TypeError('a bug')), false);
  });

  it('is in the help', async () => {
    assert.match((await typed({}, 'help')).out, /^Exit codes: 0 success, 1 failure, 2 .*, 75 /m);
  });
});
