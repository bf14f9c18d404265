import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from './free-port.ts';
import { findProgram } from './programs.ts';

const NOBODY = 65_534;
const PATIENCE_MS = 30_000;

export interface PgBouncer {
  /** The database's URL through PgBouncer. */
  readonly url: string;
  stop(): Promise<void>;
}

/** PgBouncer in transaction mode for one database, otherwise with its defaults: it shares a few sessions. */
export async function startPgBouncer(databaseUrl: string): Promise<PgBouncer> {
  const { hostname, port, username, password, pathname } = new URL(databaseUrl);
  const directory = await mkdtemp(path.join(tmpdir(), 'doorlist-pgbouncer-'));
  const listenPort = await freePort();
  const users = path.join(directory, 'users.txt');
  const settings = path.join(directory, 'pgbouncer.ini');
  await writeFile(users, `"${username}" "${password}"\n`);
  await writeFile(
    settings,
    `[databases]
${pathname.slice(1)} = host=${hostname} port=${port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = ${password === '' ? 'trust' : 'plain'}
auth_file = ${users}
pool_mode = transaction
default_pool_size = 3
`,
  );
  for (const file of [directory, users, settings]) await chmod(file, 0o755); // It refuses to run as root.
  const asNobody = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const program = findProgram('PgBouncer');
  if (program === undefined) throw new Error('there is no PgBouncer on this machine');
  const child = spawn(program, ['-q', settings], { stdio: 'ignore', ...asNobody });
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'close');
    }
    await rm(directory, { recursive: true, force: true });
  };
  try {
    await listening(child, listenPort);
  } catch (error) {
    await stop();
    throw error;
  }
  const url = new URL(databaseUrl);
  url.port = String(listenPort);
  return { url: url.href, stop };
}

async function listening(child: ChildProcess, port: number): Promise<void> {
  for (const giveUpAt = performance.now() + PATIENCE_MS; ; ) {
    const socket = connect(port, '127.0.0.1');
    const answered = await new Promise((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    });
    socket.destroy();
    if (answered) return;
    if (child.exitCode !== null || performance.now() > giveUpAt) throw new Error('PgBouncer did not start');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
