import type { Migration } from './migration.ts';

/** Uploaded files, until their import has ended. */
export const uploads: Migration = {
  version: 17,
  statements: [
    `create table import_chunk (
      queue_id bigint not null,
      job_id bytes not null,
      part text not null,
      position bigint not null,
      sealed bytes not null,
      primary key (queue_id, job_id, part, position)
    )`,
  ],
};
