import { CompiledQuery } from 'kysely';
import { type Bulk, conflictClause, oncePerShape, type Row } from './bulk.ts';
import type { OnConflict } from './database.ts';
import { type NamedQuery, named } from './statement.ts';
import type { TableName } from './tables.ts';

/** One statement, run once per row, in a single message to the writer. */
export interface ManyQuery extends NamedQuery {
  readonly rows: unknown[][];
}

const insertStatement = oncePerShape((bulk: Bulk, onConflict: OnConflict<never> | undefined) => {
  const { table, columns } = bulk;
  const values = columns.map(() => '?').join(', ');
  const conflict = conflictClause(table, onConflict);
  return statementOf(bulk, `insert into ${table} (${columns.join(', ')}) values (${values}) ${conflict}`);
});

const updateStatement = oncePerShape((bulk: Bulk, key: readonly string[]) => {
  const assign = (name: string) => `${name} = ?${bulk.columns.indexOf(name) + 1}`;
  const set = bulk.columns.filter((name) => !key.includes(name)).map(assign);
  return statementOf(
    bulk,
    `update ${bulk.table} set ${set.join(', ')} where ${key.map(assign).join(' and ')}`,
  );
});

function statementOf({ columns }: Bulk, text: string) {
  return { columns, statement: named(CompiledQuery.raw(text)) };
}

export function insertOf(
  table: TableName,
  rows: readonly Row[],
  onConflict: OnConflict<never> | undefined,
): ManyQuery {
  return bind(insertStatement(table, rows[0] as Row, onConflict), rows);
}

export function updateOf(table: TableName, rows: readonly Row[], key: readonly string[]): ManyQuery {
  return bind(updateStatement(table, rows[0] as Row, key), rows);
}

function bind({ columns, statement }: ReturnType<typeof statementOf>, rows: readonly Row[]): ManyQuery {
  return { ...statement, rows: rows.map((row) => columns.map((name) => row[name] ?? null)) };
}
