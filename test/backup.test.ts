import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { newPassphrase } from '../src/commands/passphrase.ts';
import { readConfig } from '../src/config/config.ts';
import type { Engine } from '../src/db/database.ts';
import { createDatabase } from './support/databases.ts';
import { CHOSEN_ENGINES } from './support/engines.ts';
import { clientFor, eventually, listOver, startService } from './support/harness.ts';
import { OWNER, PASSWORD, setUp } from './support/operators.ts';
import { startPostgres } from './support/postgres.ts';
import {
  commandJson,
  type RunningProcess,
  runCommand,
  startCommand,
  startProcess,
} from './support/process.ts';
import { serverOfPgDump, without } from './support/programs.ts';
import { createStorage } from './support/storage.ts';
import { jsonOf, typed } from './support/terminal.ts';

const PASSPHRASE = 'correct horse battery staple';

interface Place {
  environment: Record<string, string>;
  dataDir: string;
}

/** Parameters that the server accepts, and PostgreSQL's tools do not know. */
const FOR_OTHERS = 'pgbouncer=true&schema=public&statement_timeout=5000&application_name=acme';

for (const engine of CHOSEN_ENGINES) {
  const skip = engine === 'postgres' && without('pg_dump and its server');
  describe(`backup and restore on ${engine}, of a server under load`, { skip }, async () => {
    const binaries = engine === 'postgres' ? serverOfPgDump() : undefined;
    const server = binaries === undefined ? undefined : await startPostgres({ binaries });
    after(() => server?.stop());
    describeBackups(engine, server?.url);
  });
}

function describeBackups(engine: Engine, serverUrl: string | undefined): void {
  const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-backup-'));
  const place = async (): Promise<Place> => {
    const dataDir = mkdtempSync(path.join(directory, 'data-'));
    const database =
      serverUrl === undefined
        ? {}
        : { DATABASE_URL: `${(await createDatabase(serverUrl)).url}&${FOR_OTHERS}` };
    return {
      dataDir,
      environment: { DOORLIST_DATA_DIR: dataDir, DOORLIST_BACKUP_PASSPHRASE: PASSPHRASE, ...database },
    };
  };
  const file = path.join(directory, 'doorlist.backup');
  const codes: string[] = [];
  const people: string[] = [];
  let home: Place;
  let running: RunningProcess;
  let key: string;

  const remote = (url: string) => listOver(clientFor(url), 'wl_acme', key);
  before(async () => {
    home = await place();
    running = await startProcess({ ...home.environment, DOORLIST_LOG_LEVEL: 'warn' });
    await jsonOf(home.environment, 'waitlist', 'create', 'wl_acme', '--name', 'Acme');
    const create = ['key', 'create', '--waitlist', 'wl_acme', '--env', 'production', '--read'];
    key = (await jsonOf<{ key: string }>(home.environment, ...create)).key;
    for (const email of ['ada@example.com', 'not-listed@example.com']) {
      const invite = ['invite', 'create', '--waitlist', 'wl_acme', '--email', email];
      codes.push((await jsonOf<{ code: string }>(home.environment, ...invite)).code);
    }
  });
  after(async () => {
    await running.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  it('writes a file that only its owner can read, while people sign up', async () => {
    const list = remote(running.url);
    let loaded = true;
    const acknowledged: string[] = [];
    const load = Array.from({ length: 8 }, async (_, lane) => {
      for (let n = 0; loaded; n += 1) {
        const email = `p${lane}.${n}@example.com`;
        assert.equal((await list.signup({ email, metadata: { note: 'x'.repeat(500) } })).status, 201);
        acknowledged.push(email);
        await sleep(20); // Enough for signups in every part of the backup.
      }
    });
    try {
      await eventually(
        async () => acknowledged.length,
        (count) => count > 200,
      );
      people.push(...acknowledged);
      const written = await commandJson<{ checksum: string; bytes: number; hasMasterKey: boolean }>(
        home.environment,
        ...['backup', file],
      );
      const bytes = readFileSync(file);
      assert.equal(written.bytes, bytes.length);
      assert.equal(written.checksum, createHash('sha256').update(bytes).digest('hex'));
      assert.equal(written.hasMasterKey, true);
      assert.equal(statSync(file).mode & 0o777, 0o600);
      assert.equal(bytes.includes('wl_acme'), false, 'everything behind the header is encrypted');
      assert.ok(bytes.includes('"operations":3,"memory":268435456'), 'the full cost of Argon2id');
      const left = [...readdirSync(directory), ...readdirSync(home.dataDir)];
      assert.deepEqual(
        left.filter((name) => /\.part$|\.backup$/.test(name)),
        ['doorlist.backup'],
      );
    } finally {
      loaded = false;
      await Promise.all(load);
    }
  });

  it('restores everything acknowledged before it began, with working keys and codes', async () => {
    const target = await place();
    writeFileSync(path.join(target.dataDir, 'doorlist.db-wal'), 'of another database');
    const restored = await typed(target.environment, 'restore', file);
    assert.equal(restored.code, 0, restored.error + restored.out);
    assert.match(restored.out, /^Restored the backup of .*\nok /);
    assert.match(restored.out, /ok {5}wl_acme in production: \d+ entries/);
    assert.match(restored.out, /ok {5}backup: last made less than a minute ago/);
    assert.match(restored.out, /ok {5}master key: matches the database, from a file, backed up/);
    assert.equal(statSync(path.join(target.dataDir, 'master.key')).mode & 0o777, 0o600);
    if (engine === 'sqlite')
      assert.equal(statSync(path.join(target.dataDir, 'doorlist.db')).mode & 0o777, 0o600);
    assert.deepEqual(
      readdirSync(target.dataDir).filter((name) => name.includes('restore')),
      [],
    );
    const again = await startService(engine, { storage: { engine, ...target, remove: async () => {} } });
    try {
      const list = remote(again.url);
      const kept = new Set((await list.walk({ limit: 200 })).map(({ email }) => email));
      for (const email of people) assert.ok(kept.has(email), email);
      assert.equal((await list.lookup(people[0] as string)).body.email, people[0]);
      for (const code of codes) assert.equal((await clientFor(again.url).accept(code)).status, 200);
    } finally {
      await again.close();
    }
    const second = await typed(target.environment, 'restore', file);
    assert.equal(second.code, 1);
    assert.match(second.error, /already exists: move it away|is not empty: restore into a new one/);
  });

  it('revives what ended after the backup, unless asked to end all access', async () => {
    const source = await place();
    const storage = { engine, ...source, remove: async () => {} };
    const service = await startService(engine, { storage });
    const backup = path.join(directory, `access-${engine}.backup`);
    let [token, session] = ['', ''];
    try {
      const owner = await setUp(service);
      await owner.signIn(OWNER.email, PASSWORD);
      token = (await owner.post<{ id: string; token: string }>('/tokens', { name: 'ci', role: 'admin' })).body
        .token;
      session = owner.cookies.get('doorlist') ?? '';
      assert.equal((await typed(source.environment, 'backup', backup)).code, 0);
      assert.equal((await owner.delete('/session')).status, 200);
    } finally {
      await service.close();
    }
    const tryBoth = async (target: Place) => {
      const again = await startService(engine, {
        storage: { engine, ...target, remove: async () => {} },
      });
      try {
        const byToken = await again.request('GET', '/admin/v1/me', { key: token });
        const headers = { cookie: `doorlist=${session}` };
        const bySession = await again.request('GET', '/admin/v1/me', { headers });
        return [byToken.status, bySession.status];
      } finally {
        await again.close();
      }
    };
    const revived = await place();
    const plain = await typed(revived.environment, 'restore', backup);
    assert.equal(plain.code, 0, plain.error + plain.out);
    assert.match(plain.out, /work again\. Run `operator end-access`/);
    assert.deepEqual(await tryBoth(revived), [200, 200]);
    const ended = /Ended 1 session and 0 one-time links, and revoked 1 admin token\./;
    assert.match((await typed(revived.environment, 'operator', 'end-access')).out, ended);
    assert.deepEqual(await tryBoth(revived), [401, 401]);
    const clean = await place();
    const restored = await typed(clean.environment, 'restore', backup, '--end-access');
    assert.match(restored.out, ended);
    assert.match(restored.out, /ok +audit trail/);
    assert.deepEqual(await tryBoth(clean), [401, 401]);
  });

  it('refuses to overwrite a file', async () => {
    const { code, error: stderr } = await typed(home.environment, 'backup', file);
    assert.equal(code, 1);
    assert.match(stderr, /doorlist\.backup already exists: choose another name/);
  });

  it('restores nothing with a wrong passphrase or from a truncated or modified file', async () => {
    const target = await place();
    const refuse = async (environment: Record<string, string>, name: string, reason: RegExp) => {
      const { code, error: stderr } = await typed({ ...target.environment, ...environment }, 'restore', name);
      assert.equal(code, 1);
      assert.match(stderr, reason);
      assert.doesNotMatch(stderr, /^\s+at /m);
      assert.deepEqual(
        readdirSync(target.dataDir).filter((left) => left !== 'serve.lock'),
        [],
      );
    };
    const small = path.join(directory, 'small.backup');
    await jsonOf(home.environment, 'backup', small);
    await refuse({ DOORLIST_BACKUP_PASSPHRASE: 'wrong horse battery' }, small, /the passphrase is wrong/);
    const bytes = readFileSync(small);
    const damaged = path.join(directory, 'damaged');
    writeFileSync(damaged, bytes.subarray(0, bytes.length - 21)); // All but the last, empty message.
    await refuse({}, damaged, /damaged or incomplete: nothing was restored/);
    const flipped = Buffer.from(bytes);
    flipped[bytes.length - 1_000] = (flipped[bytes.length - 1_000] ?? 0) ^ 1;
    writeFileSync(damaged, flipped);
    await refuse({}, damaged, /damaged or incomplete: nothing was restored/);
    const renamed = Buffer.from(bytes.toString('latin1').replace('"schema":', '"schemA":'), 'latin1');
    writeFileSync(damaged, renamed);
    await refuse({}, damaged, /the header of this backup is damaged/);
    writeFileSync(damaged, 'no backup at all, but long enough to look');
    await refuse({}, damaged, /this is not a Doorlist backup/);
  });

  it('leaves out the master key if asked to, and then requires it to restore', async () => {
    const apart = path.join(directory, 'apart.backup');
    const words = ['backup', apart, '--without-master-key'];
    const written = await jsonOf<{ hasMasterKey: boolean }>(home.environment, ...words);
    assert.equal(written.hasMasterKey, false);
    const target = await place();
    const without = await typed(target.environment, 'restore', apart);
    assert.equal(without.code, 1);
    assert.match(without.error, /this backup does not contain the master key: save it to .*master\.key/);
    const other = (await jsonOf<{ key: string }>(target.environment, 'master-key', 'generate')).key;
    const wrong = await typed({ ...target.environment, DOORLIST_MASTER_KEY: other }, 'restore', apart);
    assert.match(wrong.error, /DOORLIST_MASTER_KEY is not the key of this backup/);
    mkdirSync(target.dataDir, { recursive: true });
    copyFileSync(path.join(home.dataDir, 'master.key'), path.join(target.dataDir, 'master.key'));
    chmodSync(path.join(target.dataDir, 'master.key'), 0o600);
    const right = await typed(target.environment, 'restore', apart);
    assert.equal(right.code, 0, right.error);
  });

  it('leaves no file under the final name when it is killed', async () => {
    const name = path.join(directory, 'killed.backup');
    const { child, finished } = startCommand(home.environment, 'backup', name);
    await eventually(
      async () => existsSync(`${name}.part`),
      (there) => there,
    );
    child.kill('SIGKILL');
    await finished;
    assert.equal(existsSync(name), false);
    const next = await typed(home.environment, 'backup', name);
    assert.match(
      next.error,
      /killed\.backup\.part already exists: another backup is writing it, or was interrupted/,
    );
    rmSync(`${name}.part`);
    assert.equal((await typed(home.environment, 'backup', name)).code, 0);
    assert.deepEqual(
      readdirSync(home.dataDir).filter((left) => left.endsWith('.backup')),
      [],
    );
  });

  it('warns about a master key that exists only in a file when the data is in PostgreSQL, until it is saved', async () => {
    const fresh = await place();
    const reminded = async () => {
      const started = await startProcess(fresh.environment);
      const { stdout } = await started.stop();
      return stdout.includes('the master key exists only in this file');
    };
    assert.equal(await reminded(), engine === 'postgres');
    const { key: shown } = await jsonOf<{ key: string }>(fresh.environment, 'master-key', 'show');
    assert.equal(shown, readFileSync(path.join(fresh.dataDir, 'master.key'), 'utf8').trim());
    assert.equal(await reminded(), false);
    await jsonOf(fresh.environment, 'master-key', 'rotate');
    assert.equal(await reminded(), engine === 'postgres');
    const { findings } = await jsonOf<{ findings: { detail: string }[] }>(home.environment, 'status');
    assert.ok(
      findings.some(({ detail }) => detail === 'matches the database, from a file, backed up'),
      'a backup that contains the key saves it, too',
    );
  });
}

describe('backup', () => {
  it('says which tools it needs when pg_dump is missing or older than the server', async () => {
    const storage = await createStorage('postgres');
    const tools = mkdtempSync(path.join(tmpdir(), 'doorlist-tools-'));
    const environment = { ...storage.environment, DOORLIST_BACKUP_PASSPHRASE: PASSPHRASE, PATH: tools };
    try {
      await jsonOf(storage.environment, 'migrate');
      const backUp = () => runCommand(environment, 'backup', path.join(tools, 'file'));
      const missing = await backUp();
      assert.equal(missing.code, 1);
      assert.match(
        missing.stderr,
        /^doorlist: pg_dump is not installed\. Install the client tools of PostgreSQL \d+/,
      );
      writeFileSync(path.join(tools, 'pg_dump'), '#!/bin/sh\necho "pg_dump (PostgreSQL) 9.6.24"\n', {
        mode: 0o755,
      });
      assert.match((await backUp()).stderr, /pg_dump is version 9, but the server is version \d+\./);
      assert.equal(existsSync(path.join(tools, 'file')), false);
    } finally {
      rmSync(tools, { recursive: true });
      await storage.remove();
    }
  });

  it('requires the passphrase variable when there is no terminal', async () => {
    const storage = await createStorage('sqlite');
    try {
      await jsonOf(storage.environment, 'migrate');
      const { code, stderr } = await runCommand(
        storage.environment,
        'backup',
        path.join(storage.dataDir, 'file'),
      );
      assert.equal(code, 1);
      assert.match(stderr, /DOORLIST_BACKUP_PASSPHRASE is required when there is no terminal\n/);
    } finally {
      await storage.remove();
    }
  });

  it('asks for the passphrase twice on a terminal without showing it', async () => {
    const ask = async (...answers: string[]) => {
      const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
      const output = new PassThrough();
      let shown = '';
      output.on('data', (chunk) => {
        shown += chunk;
        if (String(chunk).endsWith(': ')) input.write(`${answers.shift()}\r`);
      });
      const passphrase = await newPassphrase(readConfig({}), { input, output }).catch(
        (error: Error) => error.message,
      );
      return { passphrase, shown };
    };
    const asked = await ask(PASSPHRASE, PASSPHRASE);
    assert.equal(asked.passphrase, PASSPHRASE);
    assert.equal(asked.shown, 'Passphrase for this backup: \nRepeat the passphrase: \n');
    assert.equal((await ask(PASSPHRASE, 'something else')).passphrase, 'the passphrases do not match');
    assert.match(String((await ask('short')).passphrase), /at least 12 characters/);
  });
});
