import type { Migration } from './migration.ts';

/** Names for filters of a queue. */
export const savedSegments: Migration = {
  version: 28,
  statements: [
    `create table saved_segment (
      queue_id bigint not null references queue (id),
      id bytes not null,
      name text not null,
      conditions bytes not null,
      created_at bigint not null,
      updated_at bigint not null,
      primary key (queue_id, id)
    ) clustered`,
  ],
};
