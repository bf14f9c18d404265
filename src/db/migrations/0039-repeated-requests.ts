import type { Migration } from './migration.ts';

/** What requests that were sent with a key were answered, for a day. */
export const repeatedRequests: Migration = {
  version: 39,
  statements: [
    `create table repeated_request (
      queue_id bigint not null,
      key_hash bytes not null,
      request_hash bytes not null,
      answer bytes,
      created_at bigint not null,
      primary key (queue_id, key_hash)
    ) clustered`,
    'create index repeated_request_age on repeated_request (created_at)',
  ],
};
