import { sql } from 'kysely';
import { queriesOver } from './postgres-dialect.ts';
import { arrayOf } from './postgres-session.ts';
import type { Spelling } from './spelling.ts';

/** For statements, which are compiled once and run on any connection. */
export const postgresSpelling: Spelling = {
  query: queriesOver(undefined),
  in: (column, values) => sql`${column} = any(${Array.isArray(values) ? sql.val(arrayOf(values)) : values})`,
  list: arrayOf,
  clock: sql`(extract(epoch from clock_timestamp()) * 1000)::bigint`,
  skipLocked: sql`for update skip locked`,
};
