import { CompiledQuery } from 'kysely';
import { conflictClause, type Row } from '../bulk.ts';
import type { Column } from '../column.ts';
import type { OnConflict } from '../database.ts';
import { type NamedQuery, named } from '../statement.ts';
import { TABLES, type TableName } from '../tables.ts';
import { arrayOf } from './arrays.ts';
import { ARRAY_TYPE, insertOf as insertAnywhere, updateOf as updateAnywhere } from './bulk.ts';

/**
 * Each statement names one queue, so that one worker runs it and the commit has one phase. Rows from a list alone
 * would be collected on the coordinator, hence the join with the state of the queue.
 */
export function insertOf(
  table: TableName,
  rows: readonly Row[],
  onConflict: OnConflict<never> | undefined,
): NamedQuery[] {
  if (!isOfQueue(table)) return [insertAnywhere(table, rows, onConflict)];
  return byQueue(rows).map(([queueId, some]) => {
    const columns = columnsOf(some).filter((name) => name !== 'queue_id');
    const text = `insert into ${table} (${['queue_id', ...columns].join(', ')})
      select ${['s.queue_id', ...columns.map((name) => `v.${name}`)].join(', ')}
      from queue_state as s, ${unnest(table, columns)} where s.queue_id = $1 ${conflictClause(table, onConflict)}`;
    return bind(text, queueId, columns, some);
  });
}

export function updateOf(table: TableName, rows: readonly Row[], key: readonly string[]): NamedQuery[] {
  if (!isOfQueue(table) || !key.includes('queue_id')) return [updateAnywhere(table, rows, key)];
  return byQueue(rows).map(([queueId, some]) => {
    const columns = columnsOf(some).filter((name) => name !== 'queue_id');
    const set = columns.filter((name) => !key.includes(name)).map((name) => `${name} = v.${name}`);
    const match = key.filter((name) => name !== 'queue_id').map((name) => `and t.${name} = v.${name}`);
    const text = `update ${table} as t set ${set.join(', ')} from ${unnest(table, columns)}
      where t.queue_id = $1 ${match.join(' ')}`;
    return bind(text, queueId, columns, some);
  });
}

function isOfQueue(table: TableName): boolean {
  return table !== 'queue_state' && 'queue_id' in TABLES[table];
}

function byQueue(rows: readonly Row[]): [unknown, Row[]][] {
  return [...Map.groupBy(rows, ({ queue_id }) => queue_id)];
}

function columnsOf([row]: readonly Row[]): string[] {
  return Object.keys(row ?? {});
}

function unnest(table: TableName, columns: readonly string[]): string {
  const described = TABLES[table] as Record<string, Column<unknown>>;
  const arrays = columns.map(
    (name, at) => `$${at + 2}::${ARRAY_TYPE[(described[name] as Column<unknown>).type]}`,
  );
  return `unnest(${arrays.join(', ')}) as v (${columns.join(', ')})`;
}

function bind(text: string, queueId: unknown, columns: readonly string[], rows: readonly Row[]): NamedQuery {
  return {
    ...named(CompiledQuery.raw(text)),
    parameters: [queueId, ...columns.map((name) => arrayOf(rows.map((row) => row[name])))],
  };
}
