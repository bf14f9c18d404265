import type { Generated } from 'kysely';

/** Named as in the schema. Each engine has its own spelling. */
export type ColumnType = 'bigint' | 'text' | 'bytes';

/** A column of a table: its type in the database, and the type that code reads and writes. */
export interface Column<Value> {
  readonly type: ColumnType;
  /** Only for the compiler. */
  readonly value?: Value;
}

export const integer: Column<number> = { type: 'bigint' };
export const text: Column<string> = { type: 'text' };
export const bytes: Column<Uint8Array> = { type: 'bytes' };

export function oneOf<Value extends string>(..._values: readonly Value[]): Column<Value> {
  return { type: 'text' };
}

export function orNull<Value>({ type }: Column<Value>): Column<Value | null> {
  return { type };
}

/** The database provides a default. */
export function generated<Value>({ type }: Column<Value>): Column<Generated<Value>> {
  return { type };
}

export type ColumnsOf<Description> = {
  [Name in keyof Description]: Description[Name] extends Column<infer Value> ? Value : never;
};
