import { type RawBuilder, sql } from 'kysely';
import type { Dialect } from '../dialect.ts';
import { arrayOf } from './arrays.ts';
import { queriesOver } from './kysely.ts';

/** For statements, which are compiled once and run on any connection. */
export const postgresDialect: Dialect = {
  query: queriesOver(undefined),
  in: (column, values) => sql`${column} = any(${Array.isArray(values) ? sql.val(arrayOf(values)) : values})`,
  bytes: (list) => sql`(select value from unnest(${list}::bytea[]) as v (value))`,
  list: arrayOf,
  clock: sql`(extract(epoch from clock_timestamp()) * 1000)::bigint`,
  skipLocked: sql`for update skip locked`,
  dueTargets: dueTargets(),
  reachable: () => sql`true`,
  isSpread: false,
};

/** One recursion, because the planner takes each for ten times as many rows, and compiles what seems costly. */
function dueTargets(): RawBuilder<unknown> {
  const first = (where: string) =>
    sql.raw(`select d.queue_id, d.channel, d.target_id, d.due_at from delivery as d
      where d.due_at is not null ${where} order by d.queue_id, d.channel, d.target_id, d.due_at limit 1`);
  return sql`with recursive target as (
      (${first('')})
      union all
      select next.* from target as t cross join lateral (
        ${first('and (d.queue_id, d.channel, d.target_id) > (t.queue_id, t.channel, t.target_id)')}
      ) as next
    )
    select queue_id, channel, target_id, due_at from target`;
}
