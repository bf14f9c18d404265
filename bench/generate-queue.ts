import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import pg from 'pg';
import type { Trx } from '../src/db/database.ts';
import { SCHEMA_VERSION } from '../src/db/migrate.ts';
import { declareSchema } from '../src/db/sqlite/known-schema.ts';
import { newId } from '../src/lib/ids.ts';
import type { QueueVault } from '../src/vault/queue-vault.ts';
import { metadataPairs } from '../src/waitlist/people/metadata-pairs.ts';
import type { Context } from '../src/waitlist/queue/context.ts';
import { LEVEL_SHIFTS } from '../src/waitlist/queue/positions.ts';
import type { Queue } from '../src/waitlist/queue/queue.ts';
import { rankOf } from '../src/waitlist/referrals/rank.ts';
import { utcDayOf } from '../src/waitlist/statistics/counted-value.ts';
import { recountStatistics } from '../src/waitlist/statistics/recount.ts';

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

export const emailOf = (seq: number | string) => `person${seq}@example.com`;

/** Fills a queue as signups would have, but faster: rows first, then indexes and counters. */
export async function generateQueue(
  context: Context,
  queue: Queue,
  size: number,
  stored: { sqliteFile: string } | { databaseUrl: string },
): Promise<void> {
  if ('databaseUrl' in stored) await generateByQuery(context, queue, size, stored.databaseUrl);
  else generateInFile(queue, size, stored.sqliteFile);
  await new Promise((resolve) => setImmediate(resolve)); // Reads of a turn share a snapshot.
  await context.db.unlimited.transaction(async (trx) => {
    await recountStatistics(trx, queue);
    countPairs(trx, queue, size);
  });
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
  const today = utcDayOf(Date.now());
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
  const rank = rankOf(seq, BOOST, referrals);
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

const COUNTERS = (queueId: number, size: number) => [
  ...LEVEL_SHIFTS.map(
    (shift, level) => `insert into rank_count (queue_id, level, bucket, waiting)
      select queue_id, ${level}, rank >> ${shift}, count(*) from entry where queue_id = ${queueId} group by queue_id, rank >> ${shift}`,
  ),
  `update queue_state set last_seq = ${size}, waiting = ${size} where queue_id = ${queueId}`,
];

function generateInFile(queue: Queue, size: number, file: string): void {
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
    const now = Date.now();
    const names = Object.keys(entryRow(queue, 1, size, now));
    const insert = db.prepare(
      `insert into entry (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`,
    );
    const insertPair = db.prepare('insert into metadata_pair (queue_id, pair_hash, seq) values (?, ?, ?)');
    const pair = pairHash(queue.vault);
    db.exec('begin immediate');
    for (let seq = 1; seq <= size; seq += 1) {
      insert.run(...Object.values(entryRow(queue, seq, size, now)));
      if (hasPair(seq, size)) insertPair.run(queue.id, pair, seq);
      if (seq % 200_000 === 0) db.exec('commit; begin immediate');
    }
    db.exec('commit');
    for (const { sql: text } of indexes) db.exec(text);
    for (const text of COUNTERS(queue.id, size)) db.exec(text);
    db.exec('analyze; pragma wal_checkpoint(truncate)');
  } finally {
    db.close();
  }
}

async function generateByQuery(
  { db: { unlimited: db } }: Context,
  queue: Queue,
  size: number,
  databaseUrl: string,
): Promise<void> {
  const now = Date.now();
  const pair = pairHash(queue.vault);
  for (let first = 1; first <= size; first += 5_000) {
    const rows = Array.from({ length: Math.min(5_000, size - first + 1) }, (_, i) =>
      entryRow(queue, first + i, size, now),
    );
    const pairs = rows.filter(({ seq }) => hasPair(seq, size));
    await db.transaction(async (trx) => {
      trx.insert('entry', rows);
      trx.insert(
        'metadata_pair',
        pairs.map(({ queue_id, seq }) => ({ queue_id, pair_hash: pair, seq })),
      );
    });
  }
  for (const text of COUNTERS(queue.id, size)) await sql.raw(text).execute(db.query);
  await settle(databaseUrl);
}

/** On a connection of its own: neither can run in a transaction, and outside of one a request's time limit applies. */
async function settle(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('vacuum analyze');
    await client.query('checkpoint'); // Otherwise its writes go on for minutes beside what is measured.
  } finally {
    await client.end();
  }
}
