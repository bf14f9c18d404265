import { type Expression, type RawBuilder, sql } from 'kysely';

/**
 * Counts the waiting entries in ranges of ranks, in four sizes: 32 ranks, 32², and so on. A position is the
 * sum of at most 31 counters of each smaller size, one counter for each million ranks, and a scan of fewer
 * than 32 ranks, however long the queue is.
 */
export const LEVEL_SHIFTS = [5, 10, 15, 20] as const;

export function bucketOf(rank: number, level: number): number {
  return Math.floor(rank / 2 ** (LEVEL_SHIFTS[level] as number));
}

/**
 * The live, 1-based position of the entry in the row named by `alias`, or null if it is not waiting. Every table is
 * asked for the queue by its id: Citus takes a comparison with the row's for a question to all queues.
 */
export function positionOf(alias: 'e', queueId: Expression<number>): RawBuilder<number | null> {
  const row = sql.table(alias);
  const [smallest] = LEVEL_SHIFTS;
  const counted = LEVEL_SHIFTS.map((shift, level) => {
    const wider = LEVEL_SHIFTS[level + 1];
    const from =
      wider === undefined
        ? sql``
        : sql`and c.bucket >= ((${row}.rank >> ${sql.lit(wider)}) << ${sql.lit(wider - shift)})`;
    return sql`+ (select coalesce(sum(c.waiting), 0) from rank_count as c
        where c.queue_id = ${queueId} and c.level = ${sql.lit(level)}
          ${from} and c.bucket < (${row}.rank >> ${sql.lit(shift)}))`;
  });
  const first = sql`((${row}.rank >> ${sql.lit(smallest)}) << ${sql.lit(smallest)})`;
  return sql`case when ${row}.status = 'waiting' then cast(1 ${sql.join(counted, sql` `)}
    + (select count(*) from entry as ahead
        where ahead.queue_id = ${queueId} and ahead.status = 'waiting'
          and ahead.rank >= ${first} and ahead.rank <= ${row}.rank
          and (ahead.rank < ${row}.rank or ahead.seq > ${row}.seq))
    as bigint) end`;
}
