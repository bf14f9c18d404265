import type { Migration } from './migration.ts';

/** The place that somebody was shown after typing an address, so that sending it again shows the same one. */
export const formVisits: Migration = {
  version: 21,
  statements: [
    `create table form_visit (
      queue_id bigint not null references queue (id),
      visitor_hash bytes not null,
      place bigint not null,
      expires_at bigint not null,
      primary key (queue_id, visitor_hash)
    ) clustered`,
    'create index form_visit_expiry on form_visit (queue_id, expires_at)',
  ],
};
