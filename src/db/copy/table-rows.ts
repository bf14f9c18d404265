import { type Kysely, sql } from 'kysely';
import type { Row } from '../bulk.ts';
import { type CopiedTable, TABLE_KEYS } from '../table-keys.ts';
import { TABLES, type Tables } from '../tables.ts';

/** The values of a row's primary key. */
export type Key = unknown[];

/** Returns the rows after a key, in primary-key order. */
export async function readRows(
  executor: Kysely<Tables>,
  table: CopiedTable,
  after: Key | null,
  limit: number,
): Promise<Row[]> {
  const names = Object.keys(TABLES[table]);
  const key = sql.join(TABLE_KEYS[table].map((name) => sql.ref(name)));
  const behind = after === null ? sql`` : sql`where (${key}) > (${sql.join(after)})`;
  const { rows } = await sql<Row>`
    select ${sql.join(names.map((name) => sql.ref(name)))} from ${sql.table(table)} ${behind}
    order by ${key} limit ${limit}`.execute(executor);
  return rows.map((row) => Object.fromEntries(names.map((name) => [name, exactBytes(row[name])])));
}

export function keyOf(table: CopiedTable, row: Row): Key {
  return TABLE_KEYS[table].map((name) => row[name]);
}

/** Small buffers are views of a larger one, which would be copied to the writer's thread as a whole. */
function exactBytes(value: unknown): unknown {
  if (!(value instanceof Uint8Array) || value.byteLength === value.buffer.byteLength) return value;
  const bytes = Buffer.allocUnsafeSlow(value.byteLength);
  bytes.set(value);
  return bytes;
}
