import { type RawBuilder, sql } from 'kysely';
import type { Trx } from '../../db/database.ts';
import type { Queue } from '../queue/queue.ts';
import { rankInSql } from './rank.ts';

/**
 * The credited referrals of the entry in the row named by `referrer`. A subquery for each row, because it can
 * only be answered from the index: for a join, planners may compare each entry with each other one.
 */
function creditedTo(referrer: 'e' | 'entry'): RawBuilder<number> {
  const row = sql.table(referrer);
  return sql`(select count(*) from entry as r
    where r.queue_id = ${row}.queue_id and r.referrer_seq = ${row}.seq and r.credited = 1)`;
}

/** The credited referrals of one entry, counted from those it referred. */
export async function countReferrals(trx: Trx, queue: Queue, seq: number): Promise<number> {
  const { count } = await trx
    .selectFrom('entry')
    .select(sql<number>`count(*)`.as('count'))
    .where('queue_id', '=', queue.id)
    .where('referrer_seq', '=', seq)
    .where('credited', '=', 1)
    .executeTakeFirstOrThrow();
  return count;
}

/** Recounts from the entries: how many have a wrong number of referrals. */
export async function countMiscounted(trx: Trx, queue: Queue): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from entry as e
    where e.queue_id = ${queue.id} and e.status <> 'removed' and e.referrals <> ${creditedTo('e')}`.execute(
    trx,
  );
  return rows[0]?.count ?? 0;
}

/** How many entries have a rank that does not match their referrals, or is behind the end of the queue. */
export async function countMisranked(trx: Trx, queue: Queue, boost: number, end: number): Promise<number> {
  const { count } = await trx
    .selectFrom('entry')
    .select(sql<number>`count(*)`.as('count'))
    .where('queue_id', '=', queue.id)
    .where((e) =>
      e.or([e('rank', '<>', rankInSql(boost)), e.and([e('moved', '>', sql.lit(0)), e('rank', '>', end)])]),
    )
    .executeTakeFirstOrThrow();
  return count;
}

/** Rewrites referrals and ranks from the credited referrals. */
export async function recountReferrals(trx: Trx, queue: Queue, boost: number, end: number): Promise<void> {
  await sql`update entry set referrals = ${creditedTo('entry')}
    where queue_id = ${queue.id} and status <> 'removed' and referrals <> ${creditedTo('entry')}`.execute(
    trx,
  );
  await trx
    .updateTable('entry')
    .set({ rank: rankInSql(boost) })
    .where('queue_id', '=', queue.id)
    .where('rank', '<>', rankInSql(boost))
    .execute();
  await trx
    .updateTable('entry')
    .set({ moved: sql`moved - (rank - ${end})`, rank: end })
    .where('queue_id', '=', queue.id)
    .where('moved', '>', sql.lit(0))
    .where('rank', '>', end)
    .execute();
}
