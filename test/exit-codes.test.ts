import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, it } from 'node:test';
import pg from 'pg';
import { loadCommands } from '../src/commands/command-groups.ts';
import { readConfig } from '../src/config/config.ts';
import { DatabaseUnavailable, type Engine } from '../src/db/database.ts';
import { SCHEMA } from '../src/db/schema/schema.ts';
import { tryLock } from '../src/db/sqlite/lock.ts';
import { mayPass, mayPassOnceOpen } from '../src/installation/explain-error.ts';
import { conflict, invalid, notFound, unavailable } from '../src/lib/errors.ts';
import { afterTest } from './support/cleanup.ts';
import { setVersion, updateByNewerRelease } from './support/earlier.ts';
import { OPENS_NONE, oneForEachWay, wordsFor } from './support/every-command.ts';
import { freePort } from './support/free-port.ts';
import { forEachEngine } from './support/harness.ts';
import { createStorage, type Storage } from './support/storage.ts';
import { command, jsonOf, typed } from './support/terminal.ts';

const TRY_AGAIN = 75;
const BOUNCE = ['mail', 'bounce', '/dev/null'];

/** These report on an installation that does not open. */
const REPORTS = ['doctor', 'status'];

async function installed(engine: Engine): Promise<Storage> {
  const storage = await createStorage(engine);
  afterTest(storage.remove);
  await jsonOf(storage.environment, 'migrate');
  return storage;
}

async function everyCommandSays75(environment: Record<string, string>): Promise<void> {
  const left = [...REPORTS, ...OPENS_NONE];
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
      const storage = await installed(engine);
      await setVersion(storage, SCHEMA.version - 1);
      await everyCommandSays75(storage.environment);
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

describe('a command that finds no usable installation', () => {
  let storage: Storage;
  beforeEach(async () => {
    storage = await installed('sqlite');
  });
  const bounce = (environment: Record<string, string> = storage.environment, ...words: string[]) =>
    typed(environment, ...BOUNCE, ...words);
  const assertTryAgain = async (finished: ReturnType<typeof bounce>, said: RegExp) => {
    const { code, error } = await finished;
    assert.equal(code, TRY_AGAIN, error);
    assert.match(error, said);
    assert.doesNotMatch(error, /^\s+at /m);
  };

  it('is worth another try if its data directory is missing, as before it is mounted, or no directory', async () => {
    const elsewhere = { ...storage.environment, DOORLIST_DATA_DIR: path.join(storage.dataDir, 'mounted') };
    await assertTryAgain(bounce(elsewhere), /There is no Doorlist in /);
    mkdirSync(elsewhere.DOORLIST_DATA_DIR);
    await assertTryAgain(bounce(elsewhere), /There is no Doorlist in /);
    const file = path.join(storage.dataDir, 'file');
    writeFileSync(file, '');
    await assertTryAgain(bounce({ ...elsewhere, DOORLIST_DATA_DIR: path.join(file, 'data') }), /Doorlist/);
  });

  it('is worth another try if the master key is away, another one or no key', async () => {
    const key = path.join(storage.dataDir, 'master.key');
    for (const text of [undefined, 'nonsense', randomBytes(32).toString('base64')]) {
      rmSync(key);
      if (text !== undefined) writeFileSync(key, text, { mode: 0o600 });
      await assertTryAgain(bounce(), /master key/);
      if (text === undefined) writeFileSync(key, '');
    }
  });

  it('is worth another try if this user may not read what it needs', () => {
    for (const code of ['EACCES', 'EPERM', 'ENOTDIR', 'ESTALE', 'ENOTCONN']) {
      const file = path.join(storage.dataDir, 'master.key');
      const error = Object.assign(new Error(code), { code, syscall: 'open', path: file });
      assert.equal(mayPassOnceOpen(error, readConfig(storage.environment)), true, code);
    }
    assert.equal(mayPassOnceOpen(new TypeError('a bug'), readConfig(storage.environment)), false);
  });

  it('is worth another try if the file of --env-file is missing, or the configuration is invalid', async () => {
    await assertTryAgain(
      bounce(storage.environment, '--env-file', '/nowhere.env'),
      /named by --env-file, does not exist/,
    );
    await assertTryAgain(bounce({ ...storage.environment, PORT: 'x' }), /PORT: /);
    await assertTryAgain(
      bounce({ ...storage.environment, DOORLIST_MASTER_KEY_FILE: '/nowhere' }),
      /cannot read \/nowhere/,
    );
  });

  it('is the same for every command that opens it, but for those that could set it up', async () => {
    const broken = { ...storage.environment, PORT: 'x' };
    const commands = (await loadCommands()).filter(({ run }) => run);
    assert.ok(commands.length > 50);
    for (const each of commands)
      assert.equal((await typed(broken, ...wordsFor(each))).code, TRY_AGAIN, each.name);
    for (const words of [['migrate'], ['serve']]) assert.equal((await typed(broken, ...words)).code, 1);
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
