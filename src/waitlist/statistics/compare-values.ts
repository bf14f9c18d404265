import { sql } from 'kysely';
import type { Trx } from '../../db/database.ts';
import { DAY_MS, utcDay } from '../../lib/time.ts';
import type { Queue } from '../queue/queue.ts';
import { readKeys, readPeople } from './count-values.ts';
import { countedValueOf } from './counted-value.ts';

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
