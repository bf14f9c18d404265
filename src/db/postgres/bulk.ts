import { type Bulk, bulkWrites, conflictClause } from '../bulk.ts';
import type { Column, ColumnType } from '../column.ts';
import type { NamedQuery } from '../statement.ts';
import { NUMBERED_TABLES } from '../table-keys.ts';
import { TABLES } from '../tables.ts';
import { arrayOf } from './arrays.ts';

export const ARRAY_TYPE: Record<ColumnType, string> = {
  bigint: 'bigint[]',
  text: 'text[]',
  bytes: 'bytea[]',
};

/** Rows are sent as one array per column, so that the statement is the same for any number of rows. */
function unnest({ table, columns }: Bulk): string {
  const described = TABLES[table] as Record<string, Column<unknown>>;
  const arrays = columns.map(
    (name, at) => `$${at + 1}::${ARRAY_TYPE[(described[name] as Column<unknown>).type]}`,
  );
  return `unnest(${arrays.join(', ')}) as v (${columns.join(', ')})`;
}

/** Only a copy brings ids for tables that generate them. */
function overriding({ table, columns }: Bulk): string {
  const isNumbered = (NUMBERED_TABLES as readonly string[]).includes(table);
  return isNumbered && columns.includes('id') ? 'overriding system value' : '';
}

export const { insertOf, updateOf } = bulkWrites<NamedQuery>({
  insert: (bulk, onConflict) =>
    `insert into ${bulk.table} (${bulk.columns.join(', ')}) ${overriding(bulk)}
    select * from ${unnest(bulk)} ${conflictClause(bulk.table, onConflict)}`,
  update: (bulk, key) => {
    const set = bulk.columns.filter((name) => !key.includes(name)).map((name) => `${name} = v.${name}`);
    const match = key.map((name) => `t.${name} = v.${name}`);
    return `update ${bulk.table} as t set ${set.join(', ')} from ${unnest(bulk)} where ${match.join(' and ')}`;
  },
  bind: (statement, columns, rows) => ({
    ...statement,
    parameters: columns.map((name) => arrayOf(rows.map((row) => row[name]))),
  }),
});
