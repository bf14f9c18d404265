import type { OnConflict } from './database.ts';
import { TABLE_KEYS } from './table-keys.ts';
import type { TableName } from './tables.ts';

export type Row = Readonly<Record<string, unknown>>;

/** A write of many rows: their columns, in order, and the options of the statement. */
export interface Bulk {
  table: TableName;
  columns: readonly string[];
}

/** Builds a statement once for each table and set of columns. Their number is fixed by the code. */
export function oncePerShape<Option, Made>(
  make: (bulk: Bulk, option: Option) => Made,
): (table: TableName, row: Row, option: Option) => Made {
  const known = new Map<string, Made>();
  return (table, row, option) => {
    const columns = Object.keys(row);
    const shape = `${table} ${columns.join()} ${JSON.stringify(option)}`;
    let made = known.get(shape);
    if (made === undefined) {
      made = make({ table, columns }, option);
      known.set(shape, made);
    }
    return made;
  };
}

export function conflictClause(table: TableName, onConflict: OnConflict<never> | undefined): string {
  if (onConflict === undefined) return '';
  if (onConflict === 'ignore') return 'on conflict do nothing';
  const { add } = onConflict as { add: readonly string[] };
  const key = table === 'copy_mark' ? ['id'] : TABLE_KEYS[table];
  const sums = add.map((name) => `${name} = ${table}.${name} + excluded.${name}`);
  return `on conflict (${key.join(', ')}) do update set ${sums.join(', ')}`;
}
