import { MIGRATIONS } from '../../src/db/migrations.ts';
import { type Migration, SCHEMA } from '../../src/db/schema/schema.ts';

const LAST = MIGRATIONS.at(-1)?.version ?? SCHEMA.version;

/**
 * What the next release could change: a column and an index of the largest table, and a table filled from it. A test that
 * imports this module before anything else is of that release.
 */
export const NEXT_MIGRATIONS: readonly Migration[] = [
  {
    version: LAST + 1,
    name: 'colors',
    statements: [
      'alter table entry add column color bigint not null default 0',
      'create index entry_color on entry (queue_id, color, seq)',
      `alter table queue_state add column colors text not null default '[]'`,
    ],
  },
  {
    version: LAST + 2,
    name: 'entryCounts',
    statements: [
      'create table entry_count (queue_id bigint not null primary key, entries bigint not null)',
      'insert into entry_count (queue_id, entries) select queue_id, count(*) from entry group by queue_id',
    ],
  },
];

(MIGRATIONS as Migration[]).push(...NEXT_MIGRATIONS);
