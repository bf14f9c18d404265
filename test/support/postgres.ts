import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { chmod, chown, mkdtemp, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { postgresBinaries } from './postgres-binaries.ts';

const PATIENCE_MS = 60_000;
/** PostgreSQL refuses to run as root. Nobody owns nothing, and exists everywhere. */
const NOBODY = 65_534;

export interface PostgresServer {
  /** Of the server. `createDatabase` creates a database to work in. */
  url: string;
  /** Keeps the data, but all connections are lost. */
  restart(): Promise<void>;
  /** As a standby, which is read-only until it is promoted. */
  restartAsStandby(): Promise<void>;
  start(): Promise<void>;
  /** Stops the server and keeps its data. */
  pause(): Promise<void>;
  stop(): Promise<void>;
}

interface PostgresOptions {
  /** Without it, commits do not wait for the disk: tests do not cover crashes of the machine. */
  durable?: boolean;
  within?: string;
  /** The directory of the programs, unless they are those from npm. */
  binaries?: string;
}

/** A real PostgreSQL on a free loopback port, in a temporary directory. */
export async function startPostgres({
  durable = true,
  within = tmpdir(),
  binaries,
}: PostgresOptions = {}): Promise<PostgresServer> {
  const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const programs = binaries ?? (await postgresBinaries(user));
  const directory = await mkdtemp(path.join(within, 'doorlist-postgres-'));
  await chmod(directory, 0o755);
  if (user.uid !== undefined) await chown(directory, user.uid, user.gid);
  const data = path.join(directory, 'data');
  const port = await freePort();
  const password = randomBytes(12).toString('hex');
  await initialize(path.join(programs, 'initdb'), { directory, data, password, user });
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
  const words = [
    ...[
      '-D',
      data,
      '-p',
      String(port),
      '-k',
      '',
      '-c',
      'listen_addresses=127.0.0.1',
      '-c',
      'max_connections=200',
    ],
    ...(durable ? [] : ['-c', 'fsync=off', '-c', 'synchronous_commit=off', '-c', 'full_page_writes=off']),
  ];
  let server: ChildProcess;
  const start = async () => {
    server = spawn(path.join(programs, 'postgres'), words, { ...user, stdio: 'ignore' });
    process.once('exit', stopAtOnce);
    await answering(url, server);
  };
  const stopAtOnce = () => server.kill('SIGQUIT');
  const pause = async () => {
    process.off('exit', stopAtOnce);
    if (server.exitCode !== null || server.signalCode !== null) return;
    server.kill('SIGINT');
    await once(server, 'exit');
  };
  await start();
  return {
    url,
    start,
    pause,
    restartAsStandby: async () => {
      await pause();
      await writeFile(path.join(data, 'standby.signal'), '');
      await start();
    },
    restart: async () => {
      await pause();
      await start();
    },
    stop: async () => {
      await pause();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

interface NewCluster {
  directory: string;
  data: string;
  password: string;
  user: { uid?: number; gid?: number };
}

async function initialize(initdb: string, { directory, data, password, user }: NewCluster): Promise<void> {
  const passwordFile = path.join(directory, 'password');
  await writeFile(passwordFile, password, { mode: 0o644 });
  await promisify(execFile)(
    initdb,
    [
      '-D',
      data,
      '-U',
      'postgres',
      '--auth=scram-sha-256',
      `--pwfile=${passwordFile}`,
      '--encoding=UTF8',
      '--no-locale',
      '--no-sync',
    ],
    user,
  );
}

async function answering(url: string, server: ChildProcess): Promise<void> {
  for (const giveUpAt = performance.now() + PATIENCE_MS; ; ) {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      return await client.end();
    } catch (error) {
      if (performance.now() > giveUpAt || server.exitCode !== null) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** Below those that outgoing connections get, so that nobody takes it while its server restarts. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_240, 32_768);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
