import { type RawBuilder, sql } from 'kysely';
import { nextPlace, type Placed, placeInSql, placeOf } from '../queue/place.ts';
import type { QueueChange } from '../queue/queue-change.ts';

interface Arithmetic<T> {
  plus(a: T, b: T): T;
  minus(a: T, b: T): T;
  times(a: T, b: T): T;
}

/**
 * The order of a queue: lowest rank first, and the later joiner first among equal ranks, so that a boost of 5
 * passes exactly 5 places. `moved` is what an operator added. Defined once, for numbers here and for columns
 * in SQL.
 */
function rank<T>({ plus, minus, times }: Arithmetic<T>, place: T, boost: T, referrals: T, moved: T): T {
  return plus(minus(place, times(boost, referrals)), moved);
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
  readonly moved: number;
}

export function rankOf(entry: Ranked, boost: number): number {
  return rank(ON_NUMBERS, placeOf(entry), boost, entry.referrals, entry.moved);
}

/** The rank that a row of `entry` should have. */
export function rankInSql(boost: number): RawBuilder<number> {
  return rank<RawBuilder<number>>(
    IN_SQL,
    placeInSql(),
    sql`${boost}`,
    sql.ref('referrals'),
    sql.ref('moved'),
  );
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
