import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { chmod, chown, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from './free-port.ts';
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
  /** Ends it at once, as a power failure would. */
  kill(): Promise<void>;
  /**
   * A second server that follows this one, and that every commit waits for. This one restarts in between: a copy of the
   * files of a stopped server needs no other programs.
   */
  addStandby(): Promise<PostgresServer>;
  stop(): Promise<void>;
}

interface PostgresOptions {
  /** Without it, commits do not wait for the disk: tests do not cover crashes of the machine. */
  durable?: boolean;
  within?: string;
  /** The directory of the programs, unless they are those from npm. */
  binaries?: string;
  settings?: Record<string, string>;
}

/** A real PostgreSQL on a free loopback port, in a temporary directory. */
export async function startPostgres({
  durable = true,
  within = tmpdir(),
  binaries,
  settings = {},
}: PostgresOptions = {}): Promise<PostgresServer> {
  const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const programs = binaries ?? (await postgresBinaries(user));
  const directory = await newDirectory(within, user);
  const password = randomBytes(12).toString('hex');
  await initialize(path.join(programs, 'initdb'), { directory, data: dataIn(directory), password, user });
  const hasty = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
  return run({ programs, directory, password, user, settings: { ...(durable ? {} : hasty), ...settings } });
}

interface Cluster {
  programs: string;
  directory: string;
  password: string;
  user: { uid?: number; gid?: number };
  settings: Record<string, string>;
}

function dataIn(directory: string): string {
  return path.join(directory, 'data');
}

async function newDirectory(within: string, { uid, gid }: Cluster['user']): Promise<string> {
  const directory = await mkdtemp(path.join(within, 'doorlist-postgres-'));
  await chmod(directory, 0o755);
  if (uid !== undefined && gid !== undefined) await chown(directory, uid, gid);
  return directory;
}

async function run(cluster: Cluster): Promise<PostgresServer> {
  const { programs, directory, password, user } = cluster;
  const data = dataIn(directory);
  const port = await freePort();
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
  const settings = {
    listen_addresses: '127.0.0.1',
    max_connections: '200',
    dynamic_shared_memory_type: 'mmap', // In its directory: a server that is killed would leave it behind elsewhere.
    ...cluster.settings,
  };
  const words = [
    ...['-D', data, '-p', String(port), '-k', ''],
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
  let server: ChildProcess;
  const start = async () => {
    server = spawn(path.join(programs, 'postgres'), words, { ...user, stdio: 'ignore' });
    process.once('exit', stopAtOnce);
    await answering(url, server);
  };
  const stopAtOnce = () => server.kill('SIGQUIT');
  const end = async (signal: NodeJS.Signals) => {
    process.off('exit', stopAtOnce);
    if (server.exitCode !== null || server.signalCode !== null) return;
    server.kill(signal);
    await once(server, 'exit');
  };
  const pause = () => end('SIGINT');
  await start();
  return {
    url,
    start,
    pause,
    kill: () => end('SIGKILL'),
    restartAsStandby: async () => {
      await pause();
      await writeFile(path.join(data, 'standby.signal'), '');
      await start();
    },
    restart: async () => {
      await pause();
      await start();
    },
    addStandby: async () => {
      await pause();
      const own = await newDirectory(path.dirname(directory), user);
      await promisify(execFile)('cp', ['-a', data, dataIn(own)]);
      await start();
      await writeFile(path.join(dataIn(own), 'standby.signal'), '');
      const source = `host=127.0.0.1 port=${port} user=postgres password=${password} application_name=standby`;
      const standby = await run({
        ...cluster,
        directory: own,
        settings: { ...cluster.settings, primary_conninfo: source },
      });
      await waitForCommits(url);
      return standby;
    },
    stop: async () => {
      await pause();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** From now on, each commit waits until a standby has it, too. */
async function waitForCommits(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`alter system set synchronous_standby_names = '*'`);
    await client.query('select pg_reload_conf()');
    const isSynchronous = async () =>
      (await client.query(`select from pg_stat_replication where sync_state = 'sync'`)).rows.length > 0;
    for (const giveUpAt = performance.now() + PATIENCE_MS; !(await isSynchronous()); ) {
      if (performance.now() > giveUpAt) throw new Error('the standby does not follow its primary');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  } finally {
    await client.end();
  }
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
