import type { Migration } from './migration.ts';

/** What an import must remember until it is finished: keyed hashes, nothing that can be read. */
export const imports: Migration = {
  version: 3,
  statements: [
    `create table import_code (
      queue_id bigint not null,
      job_id bytes not null,
      code_hash bytes not null,
      seq bigint not null,
      primary key (queue_id, job_id, code_hash)
    ) clustered`,

    `create table import_link (
      queue_id bigint not null,
      job_id bytes not null,
      seq bigint not null,
      kind text not null,
      hash bytes not null,
      primary key (queue_id, job_id, seq)
    ) clustered`,
  ],
};
