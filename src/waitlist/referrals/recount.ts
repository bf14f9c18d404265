import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Trx } from '../../db/database.ts';
import type { Queue } from '../queue/directory.ts';
import { rankInSql } from './rank.ts';

/** Whether `r` is a referral that is credited to the entry in the row named by `referrer`. */
function isCreditedTo(referrer: 'e' | 'entry'): RawBuilder<SqlBool> {
  const row = sql.table(referrer);
  return sql`r.queue_id = ${row}.queue_id and r.referrer_seq = ${row}.seq and r.credited = 1`;
}

/** Recounts from the entries: how many have a wrong number of referrals. */
export async function countMiscounted(trx: Trx, queue: Queue): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (
      select e.seq from entry as e left join entry as r on ${isCreditedTo('e')}
      where e.queue_id = ${queue.id} and e.status <> 'removed' group by e.seq, e.referrals having count(r.seq) <> e.referrals
    ) as wrong`.execute(trx);
  return rows[0]?.count ?? 0;
}

/** How many entries have a rank that does not match their referrals. */
export async function countMisranked(trx: Trx, queue: Queue, boost: number): Promise<number> {
  const { count } = await trx
    .selectFrom('entry')
    .select(sql<number>`count(*)`.as('count'))
    .where('queue_id', '=', queue.id)
    .where('rank', '<>', rankInSql(boost))
    .executeTakeFirstOrThrow();
  return count;
}

/** Rewrites referrals and ranks from the credited referrals. */
export async function recountReferrals(trx: Trx, queue: Queue, boost: number): Promise<void> {
  await sql`update entry set referrals = (select count(*) from entry as r where ${isCreditedTo('entry')})
    where queue_id = ${queue.id} and status <> 'removed'`.execute(trx);
  await trx
    .updateTable('entry')
    .set({ rank: rankInSql(boost) })
    .where('queue_id', '=', queue.id)
    .execute();
}
