import type { Migration } from './migration.ts';

/** The mailbox behind an address with a tag or dots. Only upkeep can open existing rows, so it fills them in. */
export const mailboxes: Migration = {
  version: 35,
  statements: [
    'alter table entry add column mailbox_hash bytes',
    'create index entry_mailbox on entry (queue_id, mailbox_hash, credited) where mailbox_hash is not null',
    'alter table queue add column mailboxes_after bigint default 0',
    'create index queue_mailboxes on queue (mailboxes_after) where mailboxes_after is not null',
  ],
};
