import { type RawBuilder, sql } from 'kysely';

interface Arithmetic<T> {
  plus(a: T, b: T): T;
  minus(a: T, b: T): T;
  times(a: T, b: T): T;
}

/**
 * The order of a queue: lowest rank first, and the later joiner first among equal ranks, so that a boost of 5
 * passes exactly 5 people. `moved` is what an operator added. Defined once, for numbers here and for columns
 * in SQL.
 */
function rank<T>({ plus, minus, times }: Arithmetic<T>, seq: T, boost: T, referrals: T, moved: T): T {
  return plus(minus(seq, times(boost, referrals)), moved);
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

export function rankOf(seq: number, boost: number, referrals: number, moved = 0): number {
  return rank(ON_NUMBERS, seq, boost, referrals, moved);
}

/** The rank that a row of `entry` should have. */
export function rankInSql(boost: number): RawBuilder<number> {
  return rank<RawBuilder<number>>(
    IN_SQL,
    sql.ref('seq'),
    sql`${boost}`,
    sql.ref('referrals'),
    sql.ref('moved'),
  );
}
