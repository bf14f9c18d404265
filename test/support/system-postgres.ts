import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { chmod, chown, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { eventually } from './harness.ts';
import { freePort, type PostgresServer } from './postgres.ts';

/** Starts the server that belongs to the installed `pg_dump`. Returns undefined if there is none. */
export async function startSystemPostgres(): Promise<Pick<PostgresServer, 'url' | 'stop'> | undefined> {
  const binaries = binariesOfPgDump();
  const user = binaries && serverUser();
  if (!binaries || !user) return undefined;
  const directory = await mkdtemp(path.join(tmpdir(), 'doorlist-postgres-'));
  await chmod(directory, 0o755);
  if (user.uid !== undefined) await chown(directory, user.uid, user.gid as number);
  const data = path.join(directory, 'data');
  const password = randomBytes(12).toString('hex');
  const passwordFile = path.join(directory, 'password');
  writeFileSync(passwordFile, password, { mode: 0o644 });
  const setUp = [
    '-D',
    data,
    '-U',
    'postgres',
    '--auth=scram-sha-256',
    `--pwfile=${passwordFile}`,
    '--no-sync',
  ];
  execFileSync(path.join(binaries, 'initdb'), setUp, { ...user, stdio: 'ignore' });
  const port = await freePort();
  const words = ['-D', data, '-p', String(port), '-k', directory, '-c', 'listen_addresses=127.0.0.1'];
  const server = spawn(path.join(binaries, 'postgres'), [...words, '-F'], { ...user, stdio: 'ignore' });
  const ended = new Promise((resolve) => server.once('exit', resolve));
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
  await eventually(
    () => answers(url),
    (up) => up,
  );
  return {
    url,
    stop: async () => {
      server.kill('SIGINT');
      await ended;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function binariesOfPgDump(): string | undefined {
  try {
    const version = execFileSync('pg_dump', ['--version'], { encoding: 'utf8' });
    const directory = `/usr/lib/postgresql/${/(\d+)/.exec(version)?.[1]}/bin`;
    return existsSync(path.join(directory, 'initdb')) ? directory : undefined;
  } catch {
    return undefined;
  }
}

/** PostgreSQL refuses to run as root. */
function serverUser(): { uid?: number; gid?: number } | undefined {
  if (process.getuid?.() !== 0) return {};
  try {
    const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
    return { uid: idOf('-u'), gid: idOf('-g') };
  } catch {
    return undefined;
  }
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}
