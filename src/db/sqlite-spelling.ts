import { Kysely, sql } from 'kysely';
import type { Spelling } from './spelling.ts';
import { sqliteDialect } from './sqlite-dialect.ts';
import type { Tables } from './tables.ts';

/** For statements, which are compiled once and run on any connection. */
export const sqliteSpelling: Spelling = {
  query: new Kysely<Tables>({ dialect: sqliteDialect() }),
  // JSON has no bytes, so they are passed as hexadecimal text. All text in the list is bytes.
  in: (column, values) => sql`${column} in (select iif(type = 'text', unhex(value), value)
    from json_each(${Array.isArray(values) ? sql.val(jsonList(values)) : values}))`,
  list: jsonList,
  clock: sql`cast(round(unixepoch('subsec') * 1000) as integer)`,
  skipLocked: sql``, // There is only one writer.
};

function jsonList(values: readonly unknown[]): string {
  return JSON.stringify(values.map((value) => (value instanceof Uint8Array ? hexOf(value) : value)));
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}
