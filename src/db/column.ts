import type { Generated } from 'kysely';

/** Named as in the schema. Each engine has its own spelling. */
export type ColumnType = 'bigint' | 'text' | 'bytes';

/** A column of a table: its type in the database, and the type that code reads and writes. */
export interface Column<Value> {
  readonly type: ColumnType;
  /** Only for the compiler. */
  readonly value?: Value;
  /** The version of the schema that adds it, and what rows have that are there by then. Otherwise null. */
  readonly added?: { readonly version: number; readonly initial?: number | string };
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

/**
 * Adds it to a table that databases have. Servers of the version before go on for a while, and write rows without it: so
 * it is null for them, or has the initial value.
 */
export function added<Value>(version: number, column: Column<Value | null>): Column<Value | null>;
export function added<Value extends number | string>(
  version: number,
  column: Column<Value>,
  initial: Value,
): Column<Generated<Value>>;
export function added(
  version: number,
  { type }: Column<unknown>,
  initial?: number | string,
): Column<Generated<never>> {
  return { type, added: { version, ...(initial === undefined ? {} : { initial }) } };
}

export type ColumnsOf<Description> = {
  [Name in keyof Description]: Description[Name] extends Column<infer Value> ? Value : never;
};
