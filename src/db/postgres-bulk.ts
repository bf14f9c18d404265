import { CompiledQuery } from 'kysely';
import { type Bulk, conflictClause, oncePerShape, type Row } from './bulk.ts';
import type { Column, ColumnType } from './column.ts';
import type { OnConflict } from './database.ts';
import { arrayOf } from './postgres-session.ts';
import { type NamedQuery, named } from './statement.ts';
import { TABLES, type TableName } from './tables.ts';

const ARRAY_TYPE: Record<ColumnType, string> = { bigint: 'bigint[]', text: 'text[]', bytes: 'bytea[]' };

/** Rows are sent as one array per column, so that the statement is the same for any number of rows. */
function unnest({ table, columns }: Bulk): string {
  const described = TABLES[table] as Record<string, Column<unknown>>;
  const arrays = columns.map(
    (name, at) => `$${at + 1}::${ARRAY_TYPE[(described[name] as Column<unknown>).type]}`,
  );
  return `unnest(${arrays.join(', ')}) as v (${columns.join(', ')})`;
}

const insertStatement = oncePerShape((bulk: Bulk, onConflict: OnConflict<never> | undefined) => {
  const { table, columns } = bulk;
  // Generated ids are overridden only by a copy.
  return statementOf(
    bulk,
    `insert into ${table} (${columns.join(', ')}) overriding system value
    select * from ${unnest(bulk)} ${conflictClause(table, onConflict)}`,
  );
});

const updateStatement = oncePerShape((bulk: Bulk, key: readonly string[]) => {
  const { table, columns } = bulk;
  const set = columns.filter((name) => !key.includes(name)).map((name) => `${name} = v.${name}`);
  const match = key.map((name) => `t.${name} = v.${name}`);
  return statementOf(
    bulk,
    `update ${table} as t set ${set.join(', ')} from ${unnest(bulk)} where ${match.join(' and ')}`,
  );
});

function statementOf({ columns }: Bulk, text: string) {
  return { columns, statement: named(CompiledQuery.raw(text)) };
}

export function insertOf(
  table: TableName,
  rows: readonly Row[],
  onConflict: OnConflict<never> | undefined,
): NamedQuery {
  return bind(insertStatement(table, rows[0] as Row, onConflict), rows);
}

export function updateOf(table: TableName, rows: readonly Row[], key: readonly string[]): NamedQuery {
  return bind(updateStatement(table, rows[0] as Row, key), rows);
}

function bind({ columns, statement }: ReturnType<typeof statementOf>, rows: readonly Row[]): NamedQuery {
  const parameters = columns.map((name) => arrayOf(rows.map((row) => row[name])));
  return { ...statement, parameters };
}
