import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Trx } from '../../db/database.ts';
import type { Queue } from '../queue/directory.ts';
import { rankInSql } from './rank.ts';

/** Whether `r` is a referral that the entry in the row named by `referrer` has the credit for. */
function isCreditedTo(referrer: 'e' | 'entry'): RawBuilder<SqlBool> {
  const row = sql.table(referrer);
  return sql`r.queue_id = ${row}.queue_id and r.referrer_seq = ${row}.seq and r.credited = 1`;
}

/** Counts from scratch: how many entries have another number of referrals than entries that they referred. */
export async function countMiscounted(trx: Trx, queue: Queue): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (
      select e.seq from entry as e left join entry as r on ${isCreditedTo('e')}
      where e.queue_id = ${queue.id} and e.status <> 'removed' group by e.seq, e.referrals having count(r.seq) <> e.referrals
    ) as wrong`.execute(trx);
  return rows[0]?.count ?? 0;
}

/** How many entries have another rank than their referrals give them. */
export async function countMisranked(trx: Trx, queue: Queue, boost: number): Promise<number> {
  const { count } = await trx
    .selectFrom('entry')
    .select(sql<number>`count(*)`.as('count'))
    .where('queue_id', '=', queue.id)
    .where('rank', '<>', rankInSql(boost))
    .executeTakeFirstOrThrow();
  return count;
}

/** Writes referrals and ranks anew, from who is credited to whom. */
export async function recountReferrals(trx: Trx, queue: Queue, boost: number): Promise<void> {
  await sql`update entry set referrals = (select count(*) from entry as r where ${isCreditedTo('entry')})
    where queue_id = ${queue.id} and status <> 'removed'`.execute(trx);
  await trx
    .updateTable('entry')
    .set({ rank: rankInSql(boost) })
    .where('queue_id', '=', queue.id)
    .execute();
}
