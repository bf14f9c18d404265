import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { postgresServerUrl, type Storage } from './storage.ts';

/** Everything in the storage except the master key, to search its bytes. */
export async function storedBytes(storage: Storage, since: Date): Promise<{ name: string; bytes: Buffer }[]> {
  const files = filesBelow(storage.dataDir).filter((file) => !path.basename(file).startsWith('master.key'));
  const own = files.map((file) => ({ name: file, bytes: readFileSync(file) }));
  return storage.engine === 'sqlite' ? own : [...own, ...(await postgresBytes(storage, since))];
}

/** The tables as text, the files of the database, and what has been written to the write-ahead log since. */
async function postgresBytes(storage: Storage, since: Date): Promise<{ name: string; bytes: Buffer }[]> {
  const url = storage.environment.DATABASE_URL ?? '';
  const tables = await dumpTables(storage);
  const { directory, oid } = await withClient(postgresServerUrl(), async (client) => {
    await client.query('checkpoint');
    const found = await client.query(
      `select current_setting('data_directory') as directory, oid from pg_database where datname = $1`,
      [new URL(url).pathname.slice(1)],
    );
    return found.rows[0] as { directory: string; oid: number };
  });
  const files = [
    ...filesBelow(path.join(directory, 'base', String(oid))),
    ...filesBelow(path.join(directory, 'pg_wal')).filter((file) => statSync(file).mtime >= since),
  ];
  return [
    { name: 'tables', bytes: Buffer.from(tables) },
    ...files.map((file) => ({ name: file, bytes: readFileSync(file) })),
  ];
}

/** Every row of every table as text, in a stable order. */
export async function dumpTables(storage: Storage): Promise<string> {
  return withClient(storage.environment.DATABASE_URL ?? '', async (client) => {
    const tables = await client.query(
      `select tablename as name from pg_tables where schemaname = 'public' order by 1`,
    );
    const lines: string[] = [];
    for (const { name } of tables.rows as { name: string }[]) {
      const rows = await client.query(`select t::text as line from "${name}" as t order by 1`);
      lines.push(name, ...rows.rows.map(({ line }: { line: string }) => line));
    }
    return lines.join('\n');
  });
}

/** A summary that changes with any stored data: files on SQLite, rows on PostgreSQL. */
export async function fingerprint(storage: Storage): Promise<Record<string, string>> {
  const hash = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex');
  const files = filesBelow(storage.dataDir).map((file) => [path.basename(file), hash(readFileSync(file))]);
  const rows = storage.engine === 'postgres' ? [['rows', hash(await dumpTables(storage))]] : [];
  return Object.fromEntries([...files, ...rows]);
}

function filesBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
