import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { TABLES } from '../src/db/tables.ts';
import { newId } from '../src/ids.ts';
import type { Context } from '../src/waitlist/queue/context.ts';
import type { Queue } from '../src/waitlist/queue/directory.ts';
import { LEVEL_SHIFTS } from '../src/waitlist/queue/positions.ts';
import { rankOf } from '../src/waitlist/referrals/rank.ts';

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
  sqliteFile?: string,
): Promise<void> {
  if (sqliteFile === undefined) await generateByQuery(context, queue, size);
  else generateInFile(queue, size, sqliteFile);
}

/** In the order of the table's columns. */
function entryRow({ id: queueId, vault }: Queue, seq: number, now: number) {
  const id = newId(now + seq);
  const email = emailOf(seq);
  const isReferrer = seq % REFERRER_EVERY === 1;
  const referrals = isReferrer ? REFERRALS_EACH : 0;
  const behind = (seq - 1) % REFERRER_EVERY;
  const referrer = behind >= 1 && behind <= REFERRALS_EACH ? seq - behind : null;
  const person = vault.seal('entry.person', id, { email, phone: null, metadata: null });
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
    created_at: now + seq,
    invited_at: null,
    joined_at: null,
    removed_at: null,
  };
}

const COUNTERS = (queueId: number, size: number) => [
  ...LEVEL_SHIFTS.map(
    (shift, level) => `insert into rank_count (queue_id, level, bucket, waiting)
      select queue_id, ${level}, rank >> ${shift}, count(*) from entry where queue_id = ${queueId} group by queue_id, rank >> ${shift}`,
  ),
  `update queue set last_seq = ${size}, waiting = ${size} where id = ${queueId}`,
];

function generateInFile(queue: Queue, size: number, file: string): void {
  const db = new DatabaseSync(file);
  try {
    db.exec(
      'pragma synchronous = off; pragma cache_size = -500000; pragma temp_store = memory; pragma foreign_keys = off',
    );
    const indexes = db
      .prepare(
        `select name, sql from sqlite_master where type = 'index' and tbl_name = 'entry' and sql is not null`,
      )
      .all() as { name: string; sql: string }[];
    for (const { name } of indexes) db.exec(`drop index ${name}`);
    const names = Object.keys(TABLES.entry);
    const insert = db.prepare(
      `insert into entry (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`,
    );
    const now = Date.now() - size;
    db.exec('begin immediate');
    for (let seq = 1; seq <= size; seq += 1) {
      insert.run(...Object.values(entryRow(queue, seq, now)));
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

async function generateByQuery({ db }: Context, queue: Queue, size: number): Promise<void> {
  const now = Date.now() - size;
  for (let first = 1; first <= size; first += 5_000) {
    const rows = Array.from({ length: Math.min(5_000, size - first + 1) }, (_, i) =>
      entryRow(queue, first + i, now),
    );
    await db.transaction(async (trx) => trx.insert('entry', rows));
  }
  for (const text of COUNTERS(queue.id, size)) await sql.raw(text).execute(db.query);
  await sql.raw('vacuum analyze').execute(db.query);
}
