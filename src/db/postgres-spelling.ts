import { sql } from 'kysely';
import { queriesOver } from './postgres-dialect.ts';
import { arrayOf } from './postgres-session.ts';
import type { Spelling } from './spelling.ts';

export const CLOCK_MS = '(extract(epoch from clock_timestamp()) * 1000)::bigint';

/** For statements, which are compiled once and run on any connection. */
const newSpelling: Omit<Spelling, 'inBytes' | 'bytesList' | 'inNumbers' | 'numbersList'> = {
  query: queriesOver(undefined),
  in: (column, values) => sql`${column} = any(${Array.isArray(values) ? sql.val(arrayOf(values)) : values})`,
  list: arrayOf,
  clock: sql.raw(CLOCK_MS),
  skipLocked: sql`for update skip locked`,
};

export const postgresSpelling: Spelling = {
  ...newSpelling,
  inBytes: newSpelling.in,
  inNumbers: newSpelling.in,
  bytesList: newSpelling.list,
  numbersList: newSpelling.list,
};
