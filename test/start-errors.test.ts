import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { createSecureContext, TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import pg from 'pg';
import { readConfig } from '../src/config/config.ts';
import { DatabaseUnavailable } from '../src/db/database.ts';
import { isPlainTextToPublic } from '../src/db/postgres/client.ts';
import { isWorthWaitingFor } from '../src/db/postgres/errors.ts';
import { explainPostgres, PostgresTooOld, refuseOldServer } from '../src/db/postgres/explain.ts';
import { explainError } from '../src/installation/explain-error.ts';
import { noteMigration } from '../src/installation/log-migration.ts';
import { NOBODY, withoutAnotherUser } from './support/another-user.ts';
import { CERTIFICATE, PRIVATE_KEY } from './support/certificate.ts';
import { createDatabase } from './support/databases.ts';
import { freePort } from './support/free-port.ts';
import { type Finished, runCommand } from './support/process.ts';
import { postgresServerUrl, unique } from './support/storage.ts';
import { runHere } from './support/terminal.ts';
import { until } from './support/webhooks.ts';

const DOORLIST = path.join(import.meta.dirname, '../bin/doorlist');
const parent = mkdtempSync(path.join(tmpdir(), 'doorlist-test-'));
after(() => rmSync(parent, { recursive: true, force: true }));

function assertSentence({ code, stdout, stderr }: Finished, wanted: RegExp, expected = 1): void {
  assert.match(stderr, wanted);
  assert.equal(code, expected, stderr + stdout);
  assert.match(stderr, /^doorlist: [^\n]+\.\n$/, 'one line, a whole sentence');
  assert.doesNotMatch(stderr, /hunter2/, 'no password');
}

describe('a database that cannot be used is reported in one sentence, at the start and by a command', () => {
  /** The address of the shared server, changed. */
  const address = (change: (url: URL) => void) => {
    const url = new URL(postgresServerUrl());
    change(url);
    return url.href;
  };
  /** `serve: false` where the server rather waits for the database. */
  const everywhere = async (url: string, wanted: RegExp, options: { serve?: boolean } = {}) => {
    const environment = { DOORLIST_DATA_DIR: path.join(parent, 'data'), DATABASE_URL: url, PORT: '0' };
    if (options.serve !== false) assertSentence(await runCommand(environment, 'serve'), wanted, 75);
    for (const words of [['waitlist', 'list'], ['migrate']])
      assertSentence(await runHere(environment, ...words), wanted, 75);
    const { code, stdout } = await runHere(environment, 'doctor');
    assert.equal(code, 1);
    assert.match(stdout, wanted);
  };

  it('a wrong password', () =>
    everywhere(
      address((url) => {
        url.password = 'hunter2';
      }),
      /PostgreSQL at 127\.0\.0\.1:\d+ rejected the password for user "postgres"\. Check .*DATABASE_URL/,
    ));

  it('a database that does not exist', () =>
    everywhere(
      address((url) => {
        url.pathname = '/nowhere';
      }),
      /PostgreSQL at 127\.0\.0\.1:\d+ has no database "nowhere"\. Create it/,
    ));

  it('a host that does not resolve', () =>
    everywhere(
      'postgres://me:hunter2@db.invalid/doorlist',
      /PostgreSQL host db\.invalid (is unknown|could not be resolved)/,
      { serve: false },
    ));

  it('a host that does not resolve, in the log of a server that waits for it', async () => {
    const environment = {
      ...{ DOORLIST_DATA_DIR: path.join(parent, 'waiting'), PORT: '0', DOORLIST_START_TIMEOUT: '0s' },
      DATABASE_URL: 'postgres://me:hunter2@db.invalid/doorlist',
    };
    const { stdout } = await runCommand(environment, 'serve');
    for (const line of stdout.trim().split('\n').filter(Boolean))
      assert.match(line, /PostgreSQL host db\.invalid (is unknown|could not be resolved)/);
  });

  it('a certificate file that is not there', () =>
    everywhere(
      'postgres://me:hunter2@127.0.0.1/doorlist?sslmode=verify-full&sslrootcert=/nowhere/ca.pem',
      /DATABASE_URL names \/nowhere\/ca\.pem as sslrootcert, which cannot be read: no such file or directory\./,
    ));

  it('a missing password', async () => {
    await everywhere(
      address((url) => {
        url.password = '';
      }),
      /PostgreSQL at 127\.0\.0\.1:\d+ asks for the password of user "postgres", and DATABASE_URL has none\. Add it/,
    );
    const scram = new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string');
    assert.match(
      explainPostgres(scram, 'postgres://me@db.example.com/doorlist') ?? '',
      /^PostgreSQL at db\.example\.com:5432 asks for the password of user "me"/,
    );
    assert.equal(isWorthWaitingFor(new DatabaseUnavailable(scram.message, { cause: scram })), false);
  });

  it('a missing password, without leaving a connection behind that the server waits for', async () => {
    const server = await passwordServer();
    try {
      const url = `postgres://me@127.0.0.1:${server.port}/doorlist?sslmode=disable`;
      assertSentence(await runHere({ DATABASE_URL: url }, 'waitlist', 'list'), /has none\. Add it/, 75);
      await until('nobody is connected', async () => (await server.connections()) === 0);
    } finally {
      await server.close();
    }
  });

  it('a mistake in a list of hosts', async () => {
    const url = 'postgres://me:hunter2@a.example.com:5432,b.example.com:x/doorlist';
    const { code, stderr } = await runHere({ DATABASE_URL: url }, 'status');
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^doorlist: DATABASE_URL: the port of b\.example\.com must be a number from 1 to 65535$/m,
    );
    assert.doesNotMatch(stderr, /hunter2/);
  });

  it('several hosts, and what is wrong with each', async () => {
    const [closed, other] = [await freePort(), await freePort()];
    const url = `postgres://me:hunter2@127.0.0.1:${closed},127.0.0.1:${other}/doorlist?connect_timeout=20`;
    const { code, stderr } = await runHere({ DATABASE_URL: url }, 'waitlist', 'list');
    assert.equal(code, 75);
    assert.match(stderr, /^doorlist: No server in DATABASE_URL accepts writes\. /);
    for (const port of [closed, other])
      assert.match(stderr, new RegExp(`127\\.0\\.0\\.1:${port}: .*refused`));
    assert.doesNotMatch(stderr, /hunter2/);
  });

  it('the target of a copy, not the source', async () => {
    const environment = { DOORLIST_DATA_DIR: path.join(parent, 'source') };
    assert.equal((await runHere(environment, 'migrate')).code, 0);
    const to = 'postgres://me:hunter2@db.invalid/doorlist';
    const { code, stderr } = await runHere({ ...environment, DOORLIST_COPY_TO: to }, 'copy');
    assert.equal(code, 75);
    assert.match(stderr, /PostgreSQL host db\.invalid .*in the URL of the target\./);
    assert.equal((await runHere(environment, 'copy')).code, 2);
  });

  it('a server that is not running', async () =>
    everywhere(
      `postgres://me:hunter2@127.0.0.1:${await freePort()}/doorlist`,
      /Cannot reach PostgreSQL at 127\.0\.0\.1:\d+: the connection was refused\. Check that the server is running/,
      { serve: false },
    ));

  it('a limit of connections, in the words of the server: it may be one of the role', () => {
    const error = new pg.DatabaseError('too many connections for role "me"', 0, 'error');
    error.code = '53300';
    assert.equal(
      explainPostgres(error, 'postgres://me:hunter2@db.example.com/doorlist'),
      'PostgreSQL at db.example.com:5432 has no connections left (too many connections for role "me"). Raise its limit, or lower DOORLIST_DATABASE_POOL.',
    );
  });

  it('a server without TLS, at once', async () => {
    await everywhere(
      address((url) => url.searchParams.set('sslmode', 'require')),
      /PostgreSQL at 127\.0\.0\.1:\d+ does not support TLS\. Turn it on there, or set sslmode=disable/,
    );
    const error = new Error('The server does not support SSL connections');
    assert.equal(isWorthWaitingFor(new DatabaseUnavailable(error.message, { cause: error })), false);
  });

  it('a certificate that is not trusted', async () => {
    const server = await untrustedServer();
    try {
      const url = `postgres://me:hunter2@127.0.0.1:${server.port}/doorlist?sslmode=verify-full`;
      await everywhere(
        url,
        /TLS certificate of PostgreSQL at 127\.0\.0\.1:\d+ is not trusted \(\w+\)\. Add /,
      );
      const authority = path.join(parent, 'ca.pem');
      writeFileSync(authority, PRIVATE_KEY); // Has none.
      await everywhere(
        `${url}&sslrootcert=${authority}`,
        /TLS certificate of PostgreSQL at 127\.0\.0\.1:\d+ was not issued by the authority in \S+ca\.pem \(\w+\)\. Name the right file/,
      );
    } finally {
      await server.close();
    }
  });

  it('a user who may not create tables', async () => {
    const database = await createDatabase(postgresServerUrl());
    const url = new URL(database.url);
    const role = unique('limited_');
    await runSql(database.url, `create role ${role} login password 'hunter2'`);
    try {
      url.username = role;
      url.password = 'hunter2';
      const environment = { DOORLIST_DATA_DIR: path.join(parent, 'other'), DATABASE_URL: url.href };
      assertSentence(await runHere(environment, 'migrate'), /denied user "limited_.*grant it CREATE/, 75);
    } finally {
      await database.drop();
      await runSql(postgresServerUrl(), `drop role ${role}`);
    }
  });

  it('a server that is too old', () => {
    const url = 'postgres://me:hunter2@db.example.com/doorlist';
    assert.doesNotThrow(() => refuseOldServer(150_000, url));
    assert.throws(() => refuseOldServer(140_011, url), PostgresTooOld);
    assert.throws(
      () => refuseOldServer(140_011, url),
      /^PostgresTooOld: PostgreSQL at db\.example\.com:5432 is version 14\. .*15 or newer/,
    );
  });

  it('a database reached through a socket or with unusual characters in its names', () => {
    const refused = Object.assign(new Error('no'), { code: 'ECONNREFUSED' });
    assert.match(
      explainPostgres(refused, 'postgres:///doorlist?host=/run/postgresql') ?? '',
      /^Cannot reach PostgreSQL at \/run\/postgresql: /,
    );
    const lost = new Error('outer', { cause: new Error('timeout expired') });
    assert.match(
      explainPostgres(lost, 'postgres://db.example.com/doorlist') ?? '',
      /^PostgreSQL at db\.example\.com:5432 did not answer as expected: timeout expired\.$/,
    );
  });
});

describe('a connection without TLS', () => {
  it('is warned about only if it leaves private networks', () => {
    for (const remoteAddress of ['8.8.8.8', '2a00:1450:4001::1', '::ffff:8.8.8.8'])
      assert.equal(isPlainTextToPublic({ remoteAddress }), true, remoteAddress);
    for (const remoteAddress of [
      '127.0.0.1',
      '10.1.2.3',
      '172.16.0.1',
      '192.168.1.1',
      '100.64.0.1',
      '::1',
      'fd00::1',
      '',
    ])
      assert.equal(isPlainTextToPublic({ remoteAddress }), false, remoteAddress);
    const encrypted = { remoteAddress: '8.8.8.8', encrypted: true };
    assert.equal(isPlainTextToPublic(encrypted), false);
  });
});

async function runSql(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}

/** Agrees to TLS the way PostgreSQL does, with a certificate that nobody has signed. */
function untrustedServer() {
  return fakeServer((socket) => {
    socket.once('data', () => {
      socket.write('S');
      const secure = new TLSSocket(socket, {
        isServer: true,
        secureContext: createSecureContext({ key: PRIVATE_KEY, cert: CERTIFICATE }),
      });
      secure.on('error', () => {});
    });
  });
}

/** Asks for a password the way PostgreSQL does, and waits for it. */
function passwordServer() {
  const asking = (code: number, text: string) => {
    const message = Buffer.alloc(9 + text.length);
    message.write('R');
    message.writeInt32BE(8 + text.length, 1);
    message.writeInt32BE(code, 5);
    message.write(text, 9);
    return message;
  };
  return fakeServer((socket) => {
    socket.once('data', () => {
      socket.write(asking(10, 'SCRAM-SHA-256\0\0'));
      socket.once('data', () => socket.write(asking(11, 'r=abc,s=c2FsdA==,i=4096')));
    });
  });
}

async function fakeServer(speak: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    speak(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as { port: number }).port,
    connections: () => promisify(server.getConnections).call(server),
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

describe('a directory or port that cannot be used is reported in one sentence', () => {
  it('a port that is in use', async () => {
    const other = createServer();
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    try {
      const { port } = other.address() as { port: number };
      const environment = { DOORLIST_DATA_DIR: path.join(parent, 'port'), PORT: String(port) };
      assertSentence(
        await runCommand(environment, 'serve'),
        new RegExp(`Port ${port} on 127\\.0\\.0\\.1 is already in use\\. .*PORT`),
      );
    } finally {
      other.close();
    }
  });

  it('a host that is not an address of this machine', async () => {
    const environment = { DOORLIST_DATA_DIR: path.join(parent, 'host'), PORT: '8080', HOST: '192.0.2.1' };
    assertSentence(await runCommand(environment, 'serve'), /Cannot listen on 192\.0\.2\.1: .*Set HOST to/);
    const withMetrics = { ...environment, DOORLIST_METRICS_PORT: '0' };
    for (const [variables, wanted] of [
      [{ PORT: '0' }, /Cannot listen on 192\.0\.2\.1: address not available\. Set HOST to/],
      [{ HOST: 'no.invalid' }, /Cannot listen on no\.invalid: the name cannot be resolved\. Set HOST to/],
      [
        { HOST: '127.0.0.1', PORT: '0', DOORLIST_METRICS_HOST: '192.0.2.1' },
        /Cannot listen on 192\.0\.2\.1: .*Set DOORLIST_METRICS_HOST to/,
      ],
    ] as const)
      assertSentence(await runCommand({ ...withMetrics, ...variables }, 'serve'), wanted);
  });

  it('a data directory that is a file or inside one', async () => {
    const file = path.join(parent, 'file');
    writeFileSync(file, '');
    for (const dataDir of [file, path.join(file, 'data')]) {
      const environment = { DOORLIST_DATA_DIR: dataDir, PORT: '0' };
      assertSentence(await runCommand(environment, 'serve'), /not a directory\. Set DOORLIST_DATA_DIR/);
    }
  });

  it('a database file that is not a database', async () => {
    const dataDir = path.join(parent, 'broken');
    mkdirSync(dataDir);
    writeFileSync(path.join(dataDir, 'doorlist.db'), 'this is not a database, and it is long enough to tell');
    assertSentence(
      await runCommand({ DOORLIST_DATA_DIR: dataDir, PORT: '0' }, 'serve'),
      /broken\/doorlist\.db is not a SQLite database\./,
      75,
    );
  });

  const ANOTHER_USER = /cannot be used: .*permission denied\. Run Doorlist as the user who owns it/;

  it('a data directory that is not writable', { skip: withoutAnotherUser() }, async () => {
    chmodSync(parent, 0o755);
    const locked = path.join(parent, 'locked');
    mkdirSync(locked, { mode: 0o500 });
    for (const dataDir of [locked, path.join(locked, 'new')]) {
      const environment = { DOORLIST_DATA_DIR: dataDir, PORT: '0' };
      assertSentence(await runAsAnother(environment, 'serve'), ANOTHER_USER);
    }
    assert.deepEqual(readdirSync(locked), []);
  });

  it('a data directory owned by someone else', { skip: withoutAnotherUser() }, async () => {
    chmodSync(parent, 0o755);
    const environment = { DOORLIST_DATA_DIR: path.join(parent, 'theirs'), PORT: '0' };
    assert.equal((await runHere(environment, 'migrate')).code, 0);
    const before = readdirSync(environment.DOORLIST_DATA_DIR);
    assertSentence(await runAsAnother(environment, 'serve'), ANOTHER_USER);
    assertSentence(await runAsAnother(environment, 'waitlist', 'list'), ANOTHER_USER, 75);
    const { code, stdout } = await runAsAnother(environment, 'doctor');
    assert.equal(code, 1);
    assert.match(
      stdout,
      /^WRONG {2}master key file: The data directory .*permission denied\. Run Doorlist as/m,
    );
    assert.deepEqual(readdirSync(environment.DOORLIST_DATA_DIR), before);
  });

  const withoutFullDevice = existsSync('/dev/full') ? false : 'the system has no device that is always full';

  it('a disk that is full', { skip: withoutFullDevice }, () => {
    const config = readConfig({ DOORLIST_DATA_DIR: parent });
    assert.throws(
      () => writeFileSync('/dev/full', 'x'),
      (error: Error) =>
        explainError(error, config) ===
        `A file could not be written, perhaps in the data directory ${parent}: no space left on device. Free some space, then try again.`,
    );
  });

  it('but not what only `status` would read, which an update of the schema does without', {
    skip: withoutFullDevice,
  }, async () => {
    const dataDir = path.join(parent, 'update');
    mkdirSync(dataDir);
    symlinkSync('/dev/full', path.join(dataDir, 'schema-update.json'));
    const note = noteMigration(readConfig({ DOORLIST_DATA_DIR: dataDir }));
    const step = { from: 1, to: 2, version: 2, name: 'x', startedAt: 0, statement: 0, statements: 1 };
    note({ ...step, state: 'running', waitingFor: [] });
  });

  it('an invalid master key', async () => {
    const dataDir = path.join(parent, 'malformed');
    mkdirSync(dataDir);
    writeFileSync(path.join(dataDir, 'master.key'), 'not a key\n');
    assertSentence(
      await runCommand({ DOORLIST_DATA_DIR: dataDir, PORT: '0' }, 'serve'),
      /malformed\/master\.key does not hold a master key.*backup/,
    );
    assert.deepEqual(readdirSync(dataDir), ['master.key'], 'nothing was created beside it');
  });
});

/** Root can become a user who owns nothing here, if the code itself is open to that user. */
function runAsAnother(environment: Record<string, string>, ...words: string[]): Promise<Finished> {
  const { PATH = '' } = process.env;
  const compiled = path.join(parent, 'compiled'); // Ours is not open to that user, and loading the code takes seconds without.
  mkdirSync(compiled, { recursive: true });
  chmodSync(compiled, 0o777);
  const env = { PATH, HOME: tmpdir(), NODE_COMPILE_CACHE: compiled, ...environment };
  const options = { ...NOBODY, cwd: tmpdir(), env };
  return new Promise((resolve) => {
    execFile(DOORLIST, words, options, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
    });
  });
}
