import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { isInUse } from './freeze.ts';
import { toolAddress } from './url.ts';

type Tool = 'pg_dump' | 'pg_restore';

/** PostgreSQL's tools are missing, too old, or failed. */
export class PostgresToolProblem extends Error {
  override name = 'PostgresToolProblem';
}

/** A tool supports servers up to its own version, and dumps from tools up to its own version. */
export async function requireTool(tool: Tool, db: Database): Promise<void> {
  const server = await serverVersion(db);
  const version = versionOf(tool);
  const advice = `Install the client tools of PostgreSQL ${server} or newer, or use the commands in docs/operations.md#backup.`;
  if (version === undefined) {
    throw new PostgresToolProblem(`${tool} is not installed. ${advice}`);
  }
  if (version < server) {
    throw new PostgresToolProblem(
      `${tool} is version ${version}, but the server is version ${server}. ${advice}`,
    );
  }
}

/** A dump reads each worker of a cluster at a moment of its own. */
export async function requireOneMoment(db: Database): Promise<void> {
  if (db.isSpread && (await isInUse(db.query)))
    throw new PostgresToolProblem(
      'The queues are spread over several servers, which cannot be read at one moment while Doorlist is running. Stop all its servers, or back up each node as docs/scaling.md#many-queues-on-citus says.',
    );
}

function versionOf(tool: Tool): number | undefined {
  const { stdout, error, status } = spawnSync(tool, ['--version'], { encoding: 'utf8' });
  const version = Number(/(\d+)(?:\.\d+|devel|beta|rc)/.exec(stdout ?? '')?.[1]);
  return error || status !== 0 || Number.isNaN(version) ? undefined : version;
}

async function serverVersion(db: Database): Promise<number> {
  const { rows } = await sql<{
    version: string;
  }>`select current_setting('server_version_num') as version`.execute(db.query);
  return Math.floor(Number(rows[0]?.version) / 10_000);
}

/** Whether there are tables that a restore could conflict with, not counting those of extensions. */
export async function hasTables(db: Database): Promise<boolean> {
  const { rows } = await sql`select 1 from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
      and not exists (select 1 from pg_depend d where d.objid = c.oid and d.deptype = 'e')
    limit 1`.execute(db.query);
  return rows.length > 0;
}

/** Dumps one snapshot of the whole database, in pg_dump's custom format. */
export async function* dumpPostgres(url: string): AsyncGenerator<Buffer> {
  const { child, ended } = run('pg_dump', url, ['--format=custom', '--no-owner', '--no-privileges']);
  child.stdin?.end();
  try {
    yield* child.stdout as Readable;
    await ended;
  } finally {
    child.kill();
  }
}

/** Restores everything in one transaction, or nothing. */
export async function restorePostgres(url: string, dump: AsyncIterable<Buffer>): Promise<void> {
  const words = ['--single-transaction', '--exit-on-error', '--no-owner', '--no-privileges'];
  const { child, ended } = run('pg_restore', url, words);
  child.stdout?.resume();
  const fed = pipeline(Readable.from(dump), child.stdin as NodeJS.WritableStream).catch((error: Error) => {
    child.kill();
    throw error;
  });
  const [said, put] = await Promise.allSettled([ended, fed]);
  if (put.status === 'rejected' && (put.reason as NodeJS.ErrnoException).code !== 'EPIPE') throw put.reason;
  if (said.status === 'rejected') throw said.reason;
}

function run(tool: Tool, url: string, words: string[]): { child: ChildProcess; ended: Promise<void> } {
  const { url: address, password } = toolAddress(url, {
    version: versionOf(tool) ?? 0,
    certificates: process.env.NODE_EXTRA_CA_CERTS,
  });
  const child = spawn(tool, [...words, `--dbname=${address}`], {
    env: { ...surroundings(), ...(password === '' ? {} : { PGPASSWORD: password }) },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let complaint = '';
  child.stderr?.on('data', (chunk) => {
    complaint = (complaint + chunk).slice(-4_096);
  });
  const ended = once(child, 'close').then(([code]) => {
    if (code !== 0)
      throw new PostgresToolProblem(`${tool} failed: ${firstLine(complaint) || `exit code ${code}`}`);
  });
  ended.catch(() => {}); // The caller that awaits it gets the error.
  return { child, ended };
}

/** Only what the tools need, without our passphrase and master key. */
function surroundings(): NodeJS.ProcessEnv {
  const wanted = ([name]: [string, unknown]) => /^(PATH|HOME|LANG|TZ|LC_.*|PG.*)$/.test(name);
  return Object.fromEntries(Object.entries(process.env).filter(wanted));
}

function firstLine(text: string): string {
  return (
    text
      .trim()
      .split('\n')[0]
      ?.replace(/^pg_\w+: (error: )?/, '') ?? ''
  );
}
