import { type RawBuilder, sql } from 'kysely';
import type { Trx } from '../../db/database.ts';
import { DAY_MS, utcDay } from '../../lib/time.ts';
import type { Queue } from '../queue/queue.ts';
import { DURATION_LIMITS_MS, type Histogram, noCounts, RECOUNTED, SLOT_MS } from '../queue/tally.ts';
import { countedValueOf, readKeys, readPeople } from './count-values.ts';

type Recounted = (typeof RECOUNTED)[number];
type SlotRow = { slot: number } & Record<Recounted, number>;
type BarRow = { kind: Histogram; slot: number; bucket: number; count: number };

/** Which rows of which table each number counts, and the time it counts them at. */
const SOURCES: Record<Recounted, { from: 'entry' | 'invite'; at: string; where: string }> = {
  signups: { from: 'entry', at: 'created_at', where: 'created_at is not null' },
  referred: { from: 'entry', at: 'created_at', where: 'referrer_seq is not null' },
  confirmed: { from: 'entry', at: 'confirmed_at', where: 'confirmed_at is not null' },
  invited: { from: 'invite', at: 'created_at', where: 'created_at is not null' },
  accepted: { from: 'invite', at: 'accepted_at', where: 'accepted_at is not null' },
  expired: { from: 'invite', at: 'expired_at', where: 'expired_at is not null' },
  revoked: { from: 'invite', at: 'revoked_at', where: 'revoked_at is not null and expired_at is null' },
  removed: { from: 'entry', at: 'removed_at', where: 'removed_at is not null' },
  declined: { from: 'entry', at: 'declined_at', where: 'declined_at is not null' },
};

function slotIn(at: string): RawBuilder<number> {
  return sql`(${sql.ref(at)} - ${sql.ref(at)} % ${sql.lit(SLOT_MS)})`;
}

/** Counts the slots of a queue from its entries and invites. */
async function countSlots(trx: Trx, queue: Queue): Promise<SlotRow[]> {
  const parts = RECOUNTED.map((counted) => {
    const { from, at, where } = SOURCES[counted];
    const columns = RECOUNTED.map((name) => sql`${sql.lit(name === counted ? 1 : 0)} as ${sql.ref(name)}`);
    return sql`select ${slotIn(at)} as slot, ${sql.join(columns)} from ${sql.table(from)}
      where queue_id = ${queue.id} and ${sql.raw(where)}`;
  });
  const sums = RECOUNTED.map((name) => sql`cast(sum(${sql.ref(name)}) as bigint) as ${sql.ref(name)}`);
  const { rows } = await sql<SlotRow>`select slot, ${sql.join(sums)}
    from (${sql.join(parts, sql` union all `)}) as happened group by slot`.execute(trx);
  return rows;
}

async function countBars(trx: Trx, queue: Queue): Promise<BarRow[]> {
  const depths = await sql<BarRow>`select 'depth' as kind, ${slotIn('created_at')} as slot, depth as bucket,
      count(*) as count
    from entry where queue_id = ${queue.id} and depth > 0 group by 2, 3`.execute(trx);
  const steps = DURATION_LIMITS_MS.map(
    (limit, bucket) => sql`when accepted_at - created_at < ${sql.lit(limit)} then ${sql.lit(bucket)}`,
  );
  const times = await sql<BarRow>`select 'accept_time' as kind, slot, bucket, count(*) as count
    from (select ${slotIn('accepted_at')} as slot,
        case ${sql.join(steps, sql` `)} else ${sql.lit(DURATION_LIMITS_MS.length)} end as bucket
      from invite where queue_id = ${queue.id} and accepted_at is not null and code_id is null) as accepts
    group by slot, bucket`.execute(trx);
  return [...depths.rows, ...times.rows];
}

/** Counts the statistics of a queue from scratch. Returns how many of the stored counters are wrong. */
export async function countWrongStatistics(trx: Trx, queue: Queue): Promise<number> {
  const slots = await trx
    .selectFrom('queue_stat')
    .select(['slot', ...RECOUNTED])
    .where('queue_id', '=', queue.id)
    .execute();
  const bars = await trx
    .selectFrom('queue_histogram')
    .select(['kind', 'slot', 'bucket', 'count'])
    .where('queue_id', '=', queue.id)
    .execute();
  const kept = [...slots.flatMap(countersOf), ...bars.flatMap(barOf)];
  const counted = [
    ...(await countSlots(trx, queue)).flatMap(countersOf),
    ...(await countBars(trx, queue)).flatMap(barOf),
  ];
  const right = new Set(counted);
  const wrong = kept.filter((counter) => !right.delete(counter));
  return Math.max(wrong.length, right.size);
}

function countersOf(row: SlotRow): string[] {
  return RECOUNTED.filter((name) => row[name] !== 0).map((name) => `${row.slot} ${name} ${row[name]}`);
}

function barOf({ kind, slot, bucket, count }: BarRow): string[] {
  return count === 0 ? [] : [`${slot} ${kind} ${bucket} ${count}`];
}

/** Rewrites the statistics of a queue from its entries and invites, apart from what only they tell. */
export async function recountStatistics(trx: Trx, queue: Queue): Promise<void> {
  const zero = Object.fromEntries(RECOUNTED.map((name) => [name, 0]));
  await trx.updateTable('queue_stat').set(zero).where('queue_id', '=', queue.id).execute();
  await trx.deleteFrom('queue_histogram').where('queue_id', '=', queue.id).execute();
  const slots = (await countSlots(trx, queue)).map((row) => ({ queue_id: queue.id, ...noCounts(), ...row }));
  trx.insert('queue_stat', slots, { onConflict: { add: RECOUNTED } });
  const bars = (await countBars(trx, queue)).map((row) => ({ queue_id: queue.id, ...row }));
  trx.insert('queue_histogram', bars);
}

const CHUNK = 5_000;

/**
 * Counts the values of the chosen keys from scratch, as far as that is possible: erased people have none any
 * more, but may have been counted. Returns for how many keys and days the stored counts are wrong.
 */
export async function countWrongValues(trx: Trx, queue: Queue): Promise<number> {
  const keys = await readKeys(trx, queue);
  if (keys.length === 0) return 0;
  const found = await countPeople(trx, queue, keys);
  const erased = await countErased(trx, queue);
  const stored = await trx
    .selectFrom('metadata_count')
    .select(['key', 'day', sql<number>`cast(sum(signups) as bigint)`.as('signups')])
    .where('queue_id', '=', queue.id)
    .groupBy(['key', 'day'])
    .execute();
  let wrong = 0;
  for (const { key, day, signups } of stored) {
    const name = `${day} ${key}`;
    const least = found.get(name) ?? 0;
    found.delete(name);
    if (signups < least || signups > least + (erased.get(day) ?? 0)) wrong += 1;
  }
  return wrong + found.size;
}

async function countPeople(
  trx: Trx,
  queue: Queue,
  keys: readonly { key: string; counted_seq: number }[],
): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  const last = Math.max(...keys.map(({ counted_seq }) => counted_seq));
  for (let after = 0; after < last; after += CHUNK) {
    const people = await readPeople({ trx, queue }, after, Math.min(after + CHUNK, last));
    for (const { seq, createdAt, metadata } of people) {
      for (const { key, counted_seq } of keys) {
        if (seq > counted_seq || !countedValueOf(queue.vault, metadata, key)) continue;
        const name = `${utcDay(createdAt)} ${key}`;
        counts.set(name, (counts.get(name) ?? 0) + 1);
      }
    }
  }
  return counts;
}

async function countErased(trx: Trx, queue: Queue): Promise<Map<number, number>> {
  const rows = await sql<{ day: number; count: number }>`
    select created_at - created_at % ${sql.lit(DAY_MS)} as day, count(*) as count from entry
    where queue_id = ${queue.id} and person is null group by 1`.execute(trx);
  return new Map(rows.rows.map(({ day, count }) => [day, count]));
}
