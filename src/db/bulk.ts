import { CompiledQuery } from 'kysely';
import type { OnConflict } from './database.ts';
import { type NamedQuery, named } from './statement.ts';
import { TABLE_KEYS } from './table-keys.ts';
import type { TableName } from './tables.ts';

export type Row = Readonly<Record<string, unknown>>;

/** A write of many rows: their columns, in order, and the options of the statement. */
export interface Bulk {
  table: TableName;
  columns: readonly string[];
}

/** What differs between the engines: the text of the statements, and how rows are bound to them. */
interface Dialect<Query> {
  insert(bulk: Bulk, onConflict: OnConflict<never> | undefined): string;
  update(bulk: Bulk, key: readonly string[]): string;
  bind(statement: NamedQuery, columns: readonly string[], rows: readonly Row[]): Query;
}

/** Writes of many rows. All rows have the columns of the first one. */
export function bulkWrites<Query>({ insert, update, bind }: Dialect<Query>) {
  const write = <Option>(spell: (bulk: Bulk, option: Option) => string) => {
    const statementOf = oncePerShape(spell);
    return (table: TableName, rows: readonly Row[], option: Option): Query => {
      const { columns, statement } = statementOf(table, rows[0] as Row, option);
      return bind(statement, columns, rows);
    };
  };
  return { insertOf: write(insert), updateOf: write(update) };
}

/** Builds a statement once for each table and set of columns. Their number is fixed by the code. */
function oncePerShape<Option>(spell: (bulk: Bulk, option: Option) => string) {
  const known = new Map<string, { columns: readonly string[]; statement: NamedQuery }>();
  return (table: TableName, row: Row, option: Option) => {
    const columns = Object.keys(row);
    const shape = `${table} ${columns.join()} ${JSON.stringify(option)}`;
    let made = known.get(shape);
    if (made === undefined) {
      made = { columns, statement: named(CompiledQuery.raw(spell({ table, columns }, option))) };
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
