import { type RawBuilder, sql } from 'kysely';
import type { Trx } from '../../db/database.ts';
import { nextPlace, type Placed, placeInSql, placeOf } from '../queue/place.ts';
import type { Queue } from '../queue/queue.ts';
import type { QueueChange } from '../queue/queue-change.ts';

interface Arithmetic<T> {
  plus(a: T, b: T): T;
  minus(a: T, b: T): T;
  times(a: T, b: T): T;
}

/**
 * The order of a queue: lowest rank first, and the later joiner first among equal ranks, so that a boost of 5
 * passes exactly 5 places. `advanced` is what a code is worth, and `moved` what an operator added. Defined once, for
 * numbers here and for columns in SQL.
 */
function rank<T>(
  { plus, minus, times }: Arithmetic<T>,
  place: T,
  boost: T,
  { referrals, advanced, moved }: Record<'referrals' | 'advanced' | 'moved', T>,
): T {
  return plus(minus(minus(place, times(boost, referrals)), advanced), moved);
}

const ON_NUMBERS: Arithmetic<number> = {
  plus: (a, b) => a + b,
  minus: (a, b) => a - b,
  times: (a, b) => a * b,
};
const IN_SQL: Arithmetic<RawBuilder<number>> = {
  plus: (a, b) => sql`${a} + ${b}`,
  minus: (a, b) => sql`${a} - ${b}`,
  times: (a, b) => sql`${a} * ${b}`,
};

/** What the rank of an entry follows from, beside the boost. */
export interface Ranked extends Placed {
  readonly referrals: number;
  readonly advanced: number;
  readonly moved: number;
}

export function rankOf(entry: Ranked, boost: number): number {
  return rank(ON_NUMBERS, placeOf(entry), boost, entry);
}

/** The rank that a row of `entry` should have. */
export function rankInSql(boost: number): RawBuilder<number> {
  return rank<RawBuilder<number>>(IN_SQL, placeInSql(), sql`${boost}`, {
    referrals: sql.ref('referrals'),
    advanced: sql.ref('advanced'),
    moved: sql.ref('moved'),
  });
}

/**
 * Not behind the end: whoever joins later is behind everyone. Somebody whom an operator moved back could get there, when
 * they lose a referral or the boost is lowered; then the move becomes that much shorter.
 */
export function rankWithin(
  change: Pick<QueueChange, 'settings' | 'lastSeq' | 'places'>,
  entry: Ranked,
): { rank: number; moved: number } {
  const rank = rankOf(entry, change.settings.boost);
  const beyond = Math.max(0, rank - (nextPlace(change) - 1));
  return { rank: rank - beyond, moved: entry.moved - beyond };
}

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

/** How many entries have a rank that does not match what it follows from, or is behind the end of the queue. */
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
