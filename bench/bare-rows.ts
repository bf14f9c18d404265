import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { readConfig } from '../src/config/config.ts';
import { SCHEMA_VERSION } from '../src/db/migrate.ts';
import { insertOf } from '../src/db/postgres/bulk.ts';
import { KNOWN_SCHEMA } from '../src/db/postgres/schema-gate.ts';
import { declareSchema } from '../src/db/sqlite/known-schema.ts';
import type { TableName } from '../src/db/tables.ts';
import { DATABASE_FILE } from '../src/installation/data-directory.ts';
import { openContext } from '../src/installation/open.ts';
import { newId } from '../src/lib/ids.ts';
import { createLogger } from '../src/lib/log.ts';

const QUEUE = 1_000_000; // Of nobody.
const PERSON_BYTES = 130;
const HASH_BYTES = 32;

type Rows = Record<string, unknown>[];

/** The tables of a new installation without Doorlist. */
export interface BareRows {
  /** Inserts entries with prepared statements, as durable as signups. Returns rows per second. */
  insert(rows: number, perCommit: number, pairsEach?: number): Promise<number>;
  /** Reads all entries in joining order. Returns rows per second. */
  read(perRead: number): Promise<number>;
  close(): Promise<void>;
}

interface Connection {
  begin(): unknown;
  insert(table: TableName, rows: Rows): unknown;
  commit(): unknown;
  page(after: number, limit: number): Promise<{ seq: number }[]> | { seq: number }[];
  close(): unknown;
}

export async function openBareRows(environment: Record<string, string>): Promise<BareRows> {
  const { db } = await openContext(readConfig(environment), createLogger('silent'));
  await db.close(); // It has the schema now.
  const connection = environment.DATABASE_URL
    ? await connectToServer(environment.DATABASE_URL)
    : openFile(path.join(environment.DOORLIST_DATA_DIR ?? '', DATABASE_FILE));
  let seq = 0;
  return {
    insert: async (count, perCommit, pairsEach = 0) => {
      const commits = Array.from({ length: Math.ceil(count / perCommit) }, () => {
        const entries = Array.from({ length: perCommit }, () => entryRow(++seq));
        const pairs = entries.flatMap((entry) => Array.from({ length: pairsEach }, () => pairRow(entry.seq)));
        return { entries, pairs };
      });
      const startedAt = performance.now();
      for (const { entries, pairs } of commits) {
        await connection.begin();
        await connection.insert('entry', entries);
        if (pairs.length > 0) await connection.insert('metadata_pair', pairs);
        await connection.commit();
      }
      return perSecond(commits.length * perCommit, startedAt);
    },
    read: async (perRead) => {
      const startedAt = performance.now();
      let read = 0;
      for (let after = 0; ; ) {
        const rows = await connection.page(after, perRead);
        read += rows.length;
        const last = rows.at(-1);
        if (!last) return perSecond(read, startedAt);
        after = last.seq;
      }
    },
    close: async () => {
      await connection.close();
    },
  };
}

function perSecond(count: number, startedAt: number): number {
  return (count * 1000) / (performance.now() - startedAt);
}

function entryRow(seq: number) {
  const now = Date.now();
  return {
    ...{ queue_id: QUEUE, seq, id: newId(now), status: 'waiting', rank: seq, referrals: 0 },
    ...{ referrer_seq: null, credited: 0, person: randomBytes(PERSON_BYTES), depth: 0 },
    ...{ email_hash: randomBytes(HASH_BYTES), phone_hash: null, mailbox_hash: null, created_at: now },
    ...{ invited_at: null, joined_at: null, removed_at: null, confirmed_at: null },
  };
}

function pairRow(seq: number) {
  return { queue_id: QUEUE, pair_hash: randomBytes(HASH_BYTES), seq };
}

const PAGE = 'select * from entry where queue_id = $1 and seq > $2 order by seq limit $3';

function openFile(file: string): Connection {
  const db = new DatabaseSync(file);
  declareSchema(db, SCHEMA_VERSION); // Writes are refused to those who do not know the schema.
  db.exec(`pragma journal_mode = wal; pragma synchronous = full; pragma cache_size = -32768;
    pragma foreign_keys = off`);
  const prepared = new Map<string, ReturnType<DatabaseSync['prepare']>>();
  const prepare = (text: string) => {
    const known = prepared.get(text) ?? db.prepare(text);
    prepared.set(text, known);
    return known;
  };
  return {
    begin: () => db.exec('begin immediate'),
    insert: (table, rows) => {
      const names = Object.keys(rows[0] ?? {});
      const values = names.map(() => '?').join(', ');
      const insert = prepare(`insert into ${table} (${names.join(', ')}) values (${values})`);
      for (const row of rows) insert.run(...(Object.values(row) as never[]));
    },
    commit: () => db.exec('commit'),
    page: (after, limit) =>
      prepare(PAGE.replaceAll('$', '?')).all(QUEUE, after, limit) as unknown as { seq: number }[],
    close: () => db.close(),
  };
}

async function connectToServer(url: string): Promise<Connection> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`select set_config('${KNOWN_SCHEMA}', '${SCHEMA_VERSION}', false)`);
  const run = async (text: string, name: string, values: readonly unknown[] = []) =>
    (await client.query({ text, name, values: [...values] })).rows;
  return {
    begin: () => run('begin', 'begin'),
    insert: (table, rows) => {
      const { sql: text, name, parameters } = insertOf(table, rows, undefined);
      return run(text, name, parameters);
    },
    commit: () => run('commit', 'commit'),
    page: async (after, limit) => {
      const rows = await run(PAGE, 'page', [QUEUE, after, limit]);
      return rows.map((row) => ({ ...row, seq: Number(row.seq) }));
    },
    close: () => client.end(),
  };
}
