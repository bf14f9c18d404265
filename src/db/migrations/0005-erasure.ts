import type { Migration } from './migration.ts';

/**
 * Counts erasures, and up to which of them nothing is left in the files. Test mails of before were tied to nobody,
 * so that no erasure would find them: what they say goes now.
 */
export const erasure: Migration = {
  version: 5,
  statements: [
    `update event set body = null where kind like 'email.%' and not exists (
      select 1 from event_subject as s where s.queue_id = event.queue_id and s.event_id = event.id
    )`,
    'alter table instance add column erasures bigint not null default 0',
    'alter table instance add column erasures_wiped bigint not null default 0',
  ],
};
