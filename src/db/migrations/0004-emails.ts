import type { Migration } from './migration.ts';

/** Mails travel the outbox of webhooks; what is new is how they look, who wants none, and when a reminder is due. */
export const emails: Migration = {
  version: 4,
  statements: [
    `alter table waitlist add column mail_kinds text not null default 'confirm,invite'`,
    'alter table waitlist add column mail_version bigint not null default 0',
    'alter table waitlist add column invite_reminder_ms bigint not null default 86400000',
    'alter table queue add column next_reminder bigint',
    'create index queue_next_reminder on queue (next_reminder) where next_reminder is not null',
    'alter table invite add column remind_at bigint',
    'create index invite_reminder on invite (queue_id, remind_at) where remind_at is not null',

    `create table mail_part (
      waitlist_id bigint not null references waitlist (id),
      part text not null,
      version bigint not null,
      content text,
      created_at bigint not null,
      primary key (waitlist_id, part, version)
    )`,

    `create table mail_suppression (
      queue_id bigint not null references queue (id),
      email_hash bytes not null,
      reason text not null,
      created_at bigint not null,
      primary key (queue_id, email_hash, reason)
    )`,
  ],
};
