import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import type { Trx } from '../src/db/database.ts';
import { SCHEMA_VERSION } from '../src/db/migrate.ts';
import { insertOf } from '../src/db/postgres/bulk.ts';
import { KNOWN_SCHEMA } from '../src/db/postgres/schema-gate.ts';
import { declareSchema } from '../src/db/sqlite/known-schema.ts';
import type { TableName } from '../src/db/tables.ts';
import { newId } from '../src/lib/ids.ts';
import { utcDay } from '../src/lib/time.ts';
import type { QueueVault } from '../src/vault/vault.ts';
import { metadataPairs } from '../src/waitlist/people/person.ts';
import type { Context } from '../src/waitlist/queue/context.ts';
import type { Queue } from '../src/waitlist/queue/queue.ts';
import { Tally } from '../src/waitlist/queue/tally.ts';
import { rankOf } from '../src/waitlist/referrals/rank.ts';

/** However many there are: the length of a chart does not depend on the length of the queue. */
const DAYS = 90;
const SPAN_MS = DAYS * 24 * 60 * 60 * 1000;
/** So many entries have this pair in their metadata, in a queue of any size. */
const WITH_PAIR = 1_000;
export const PAIR = { key: 'plan', value: 'pro' };
/** One in this many entries is a referrer, each of this many people who joined right after. */
const REFERRER_EVERY = 1_000;
const REFERRALS_EACH = 20;
const BOOST = 5;
const BATCH = 5_000;

export const emailOf = (seq: number | string) => `person${seq}@example.com`;

/** Fills a queue as signups would have, but faster: rows first, then indexes and counters. */
export async function generateQueue(
  context: Context,
  queue: Queue,
  size: number,
  stored: { sqliteFile: string } | { databaseUrl: string },
): Promise<void> {
  const tally = new Tally();
  const batches = entryBatches(queue, size, tally);
  if ('databaseUrl' in stored) await fillServer(stored.databaseUrl, batches);
  else fillFile(stored.sqliteFile, batches);
  await new Promise((resolve) => setImmediate(resolve)); // Reads of a turn share a snapshot.
  await context.db.unlimited.transaction(async (trx) => {
    writeCounters(trx, queue, size, tally);
    countPairs(trx, queue, size);
  });
  if ('databaseUrl' in stored) await settle(stored.databaseUrl);
}

function writeCounters(trx: Trx, { id: queue_id }: Queue, size: number, tally: Tally): void {
  const counts = tally.buckets.map(({ level, bucket, delta }) => ({
    ...{ queue_id, level, bucket, waiting: delta },
  }));
  for (let first = 0; first < counts.length; first += BATCH)
    trx.insert('rank_count', counts.slice(first, first + BATCH));
  tally.slots.write(trx, queue_id);
  trx.update('queue_state', { key: ['queue_id'] }, [{ queue_id, last_seq: size, waiting: size }]);
}

/** As upkeep would have counted the values. */
function countPairs(trx: Trx, { id: queue_id, vault }: Queue, size: number): void {
  const { key, value } = PAIR;
  const pair_hash = pairHash(vault);
  trx.insert('metadata_key', [{ queue_id, key, counted_seq: size }], { onConflict: 'ignore' });
  trx.update('metadata_key', { key: ['queue_id', 'key'] }, [{ queue_id, key, counted_seq: size }]);
  trx.insert('metadata_value', [
    { queue_id, key, pair_hash, label: vault.seal('metadata.label', pair_hash, value) },
  ]);
  const today = utcDay(Date.now());
  const days = Array.from({ length: DAYS }, (_, n) => today - n * 24 * 60 * 60 * 1000);
  const signups = Math.ceil(WITH_PAIR / DAYS);
  trx.insert(
    'metadata_count',
    days.map((day) => ({ queue_id, key, day, pair_hash, signups })),
  );
}

function pairHash(vault: QueueVault): Buffer {
  return metadataPairs(vault, { [PAIR.key]: PAIR.value })[0] as Buffer;
}

type EntryRow = ReturnType<typeof entryRow>;

/** Rows of `entry`, and of `metadata_pair`. */
interface Rows {
  entries: EntryRow[];
  pairs: { queue_id: number; pair_hash: Buffer; seq: number }[];
}

/** All rows of a queue. Each is counted in the tally. */
function* entryBatches(queue: Queue, size: number, tally: Tally): Generator<Rows> {
  const now = Date.now();
  const pair_hash = pairHash(queue.vault);
  for (let first = 1; first <= size; first += BATCH) {
    const entries = Array.from({ length: Math.min(BATCH, size - first + 1) }, (_, i) =>
      entryRow(queue, first + i, size, now),
    );
    for (const { status, rank, created_at, depth } of entries) {
      tally.enter(status, rank);
      tally.slots.add('signups', created_at);
      tally.slots.addDepth(created_at, 0, depth);
    }
    const pairs = entries
      .filter(({ seq }) => hasPair(seq, size))
      .map(({ queue_id, seq }) => ({ queue_id, pair_hash, seq }));
    yield { entries, pairs };
  }
}

function entryRow({ id: queueId, vault }: Queue, seq: number, size: number, now: number) {
  const createdAt = now - SPAN_MS + Math.floor((seq / size) * SPAN_MS);
  const id = newId(createdAt);
  const email = emailOf(seq);
  const isReferrer = seq % REFERRER_EVERY === 1;
  const referrals = isReferrer ? REFERRALS_EACH : 0;
  const behind = (seq - 1) % REFERRER_EVERY;
  const referrer = behind >= 1 && behind <= REFERRALS_EACH ? seq - behind : null;
  const person = vault.seal('entry.person', id, {
    email,
    phone: null,
    metadata: hasPair(seq, size) ? { [PAIR.key]: PAIR.value } : null,
  });
  const rank = rankOf({ seq, closed: 0, opened: 0, referrals, advanced: 0, moved: 0 }, BOOST);
  const hash = vault.hash('email', email);
  return {
    queue_id: queueId,
    seq,
    id,
    status: 'waiting' as const,
    rank,
    referrals,
    referrer_seq: referrer,
    credited: referrer === null ? 0 : 1,
    person,
    email_hash: hash,
    phone_hash: null,
    created_at: createdAt,
    invited_at: null,
    joined_at: null,
    removed_at: null,
    depth: referrer === null ? 0 : 1,
  };
}

function hasPair(seq: number, size: number): boolean {
  return seq % Math.ceil(size / WITH_PAIR) === 0;
}

function fillFile(file: string, batches: Generator<Rows>): void {
  const db = new DatabaseSync(file);
  try {
    declareSchema(db, SCHEMA_VERSION); // Writes are refused to those who do not know the schema.
    db.exec(
      'pragma synchronous = off; pragma cache_size = -500000; pragma temp_store = memory; pragma foreign_keys = off',
    );
    const indexes = db
      .prepare(
        `select name, sql from sqlite_master where type = 'index' and tbl_name = 'entry' and sql is not null`,
      )
      .all() as { name: string; sql: string }[];
    for (const { name } of indexes) db.exec(`drop index ${name}`);
    for (const { entries, pairs } of batches) {
      db.exec('begin immediate');
      insertInto(db, 'entry', entries);
      insertInto(db, 'metadata_pair', pairs);
      db.exec('commit');
    }
    for (const { sql: text } of indexes) db.exec(text);
    db.exec('analyze; pragma wal_checkpoint(truncate)');
  } finally {
    db.close();
  }
}

function insertInto(db: DatabaseSync, table: TableName, rows: Record<string, unknown>[]): void {
  const names = Object.keys(rows[0] ?? {});
  if (names.length === 0) return;
  const values = names.map(() => '?').join(', ');
  const insert = db.prepare(`insert into ${table} (${names.join(', ')}) values (${values})`);
  for (const row of rows) insert.run(...(Object.values(row) as never[]));
}

/** The next rows are made while the server writes those before. */
async function fillServer(databaseUrl: string, batches: Generator<Rows>): Promise<void> {
  await withClient(databaseUrl, async (client) => {
    await client.query(`select set_config('${KNOWN_SCHEMA}', '${SCHEMA_VERSION}', false)`);
    await client.query(`set synchronous_commit = off; set maintenance_work_mem = '512MB'`);
    const { rows: indexes } = await client.query<{ name: string; definition: string }>(
      `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
      from pg_index where indrelid = 'entry'::regclass and not indisprimary`,
    );
    for (const { name } of indexes) await client.query(`drop index ${name}`);
    let writing: Promise<unknown> = Promise.resolve();
    for (const { entries, pairs } of batches) {
      await writing;
      writing = Promise.all([insert(client, 'entry', entries), insert(client, 'metadata_pair', pairs)]);
    }
    await writing;
    for (const { definition } of indexes) await client.query(definition);
  });
}

async function insert(
  client: pg.Client,
  table: TableName,
  rows: readonly Record<string, unknown>[],
): Promise<void> {
  if (rows.length === 0) return;
  const { sql: text, name, parameters } = insertOf(table, rows, undefined);
  await client.query({ text, name, values: [...parameters] });
}

/** Otherwise what it still has to do would go on for minutes beside what is measured. */
function settle(databaseUrl: string): Promise<void> {
  return withClient(databaseUrl, async (client) => {
    await client.query('vacuum analyze');
    await client.query('checkpoint');
  });
}

/** A connection without the time limits of a request. */
async function withClient(databaseUrl: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
