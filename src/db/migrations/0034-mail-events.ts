import type { Migration } from './migration.ts';

/** Keys with which a mail provider reports bounces and complaints, and the days on which addresses bounced for a while. */
export const mailEvents: Migration = {
  version: 34,
  statements: [
    `create table mail_event_key (
      queue_id bigint not null references queue (id),
      id bytes not null,
      hash bytes not null,
      hint text not null,
      name text not null,
      secret bytes,
      created_at bigint not null,
      last_used_at bigint,
      primary key (queue_id, id)
    ) clustered`,
    'create unique index mail_event_key_hash on mail_event_key (queue_id, hash)',
    `create table mail_soft_bounce (
      queue_id bigint not null references queue (id),
      email_hash bytes not null,
      day bigint not null,
      primary key (queue_id, email_hash, day)
    ) clustered`,
  ],
};
