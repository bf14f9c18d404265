import { bulkWrites, conflictClause } from '../bulk.ts';
import type { NamedQuery } from '../statement.ts';

/** One statement, run once per row, in a single message to the writer. */
export interface ManyQuery extends NamedQuery {
  readonly rows: unknown[][];
}

export const { insertOf, updateOf } = bulkWrites<ManyQuery>({
  insert: ({ table, columns }, onConflict) => {
    const values = columns.map(() => '?').join(', ');
    return `insert into ${table} (${columns.join(', ')}) values (${values}) ${conflictClause(table, onConflict)}`;
  },
  update: ({ table, columns }, key) => {
    const assign = (name: string) => `${name} = ?${columns.indexOf(name) + 1}`;
    const set = columns.filter((name) => !key.includes(name)).map(assign);
    return `update ${table} set ${set.join(', ')} where ${key.map(assign).join(' and ')}`;
  },
  bind: (statement, columns, rows) => ({
    ...statement,
    rows: rows.map((row) => columns.map((name) => row[name] ?? null)),
  }),
});
