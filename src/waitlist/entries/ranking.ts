import { type RawBuilder, sql } from 'kysely';

/**
 * The order of a queue: smallest rank first; of equal ranks the later joiner first, so that a boost of 5
 * passes exactly the 5 people ahead.
 */
export function rankOf(seq: number, boost: number, referrals: number): number {
  return seq - boost * referrals;
}

/**
 * How many waiting entries each range of ranks holds, in three sizes of range: 64, 64² and 64³ ranks.
 * A position is a sum of at most 63 counters of each smaller size, one counter for each 262,144 ranks,
 * and a scan of fewer than 64 ranks, however long the queue is.
 */
export const LEVEL_SHIFTS = [6, 12, 18] as const;

export function bucketsOf(rank: number): { level: number; bucket: number }[] {
  return LEVEL_SHIFTS.map((shift, level) => ({ level, bucket: Math.floor(rank / 2 ** shift) }));
}

/** The live, 1-based position of the entry in the row named by `alias`; null unless it waits. */
export function positionOf(alias: 'e'): RawBuilder<number | null> {
  const row = sql.table(alias);
  return sql`case when ${row}.status = 'waiting' then cast(1
    + (select coalesce(sum(c.waiting), 0) from rank_count as c
        where c.queue_id = ${row}.queue_id and c.level = 2 and c.bucket < (${row}.rank >> 18))
    + (select coalesce(sum(c.waiting), 0) from rank_count as c
        where c.queue_id = ${row}.queue_id and c.level = 1
          and c.bucket >= ((${row}.rank >> 18) << 6) and c.bucket < (${row}.rank >> 12))
    + (select coalesce(sum(c.waiting), 0) from rank_count as c
        where c.queue_id = ${row}.queue_id and c.level = 0
          and c.bucket >= ((${row}.rank >> 12) << 6) and c.bucket < (${row}.rank >> 6))
    + (select count(*) from entry as ahead
        where ahead.queue_id = ${row}.queue_id and ahead.status = 'waiting'
          and ahead.rank >= ((${row}.rank >> 6) << 6) and ahead.rank <= ${row}.rank
          and (ahead.rank < ${row}.rank or ahead.seq > ${row}.seq))
    as bigint) end`;
}
