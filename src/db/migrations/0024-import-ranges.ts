import type { Migration } from './migration.ts';

/** Whom an import added, so that it can be undone, and how many a queue no longer has because one was. */
export const importRanges: Migration = {
  version: 24,
  statements: [
    `create table import_range (
      queue_id bigint not null,
      job_id bytes not null,
      first_seq bigint not null,
      last_seq bigint not null,
      primary key (queue_id, job_id, first_seq)
    ) clustered`,
    'alter table queue add column undone bigint not null default 0',
  ],
};
