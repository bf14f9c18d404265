import { type Kysely, sql } from 'kysely';
import type { ColumnType } from '../column.ts';
import { type CopiedTable, TABLE_KEYS } from '../table-keys.ts';
import type { Tables } from '../tables.ts';

/** A table with its columns as the database has them, so that no column can be forgotten. */
export interface TableShape {
  table: CopiedTable;
  columns: Record<string, ColumnType>;
}

export type Row = unknown[];

const TYPES: Record<string, ColumnType> = {
  int8: 'bigint',
  integer: 'bigint',
  text: 'text',
  bytea: 'bytes',
  blob: 'bytes',
};

export async function describeTables(db: Kysely<Tables>): Promise<Map<string, TableShape>> {
  const tables = await db.introspection.getTables();
  return new Map(
    tables
      .filter(({ name }) => Object.hasOwn(TABLE_KEYS, name))
      .map(({ name, columns }) => {
        const types = columns.map((column) => [column.name, TYPES[column.dataType.toLowerCase()]]);
        return [name, { table: name as CopiedTable, columns: Object.fromEntries(types) }];
      }),
  );
}

/** The rows behind a key, in the order of the primary key. */
export async function readRows(
  executor: Kysely<Tables>,
  { table, columns }: TableShape,
  after: Row | null,
  limit: number,
): Promise<Row[]> {
  const names = Object.keys(columns);
  const key = sql.join(TABLE_KEYS[table].map((name) => sql.ref(name)));
  const behind = after === null ? sql`` : sql`where (${key}) > (${sql.join(after)})`;
  const { rows } = await sql<Record<string, unknown>>`
    select ${sql.join(names.map((name) => sql.ref(name)))} from ${sql.table(table)} ${behind}
    order by ${key} limit ${limit}`.execute(executor);
  return rows.map((row) => names.map((name) => exactBytes(row[name])));
}

export function keyOf({ table, columns }: TableShape, row: Row): Row {
  const names = Object.keys(columns);
  return TABLE_KEYS[table].map((name) => row[names.indexOf(name)]);
}

/** Small buffers are views of a larger one, all of which would travel to the thread that writes. */
function exactBytes(value: unknown): unknown {
  if (!(value instanceof Uint8Array) || value.byteLength === value.buffer.byteLength) return value;
  const bytes = Buffer.allocUnsafeSlow(value.byteLength);
  bytes.set(value);
  return bytes;
}
