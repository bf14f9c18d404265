import type { Migration } from './migration.ts';

/** Uploaded pictures, and who no longer needs to be led through the first steps: everyone who already has people. */
export const firstHour: Migration = {
  version: 27,
  statements: [
    `create table waitlist_picture (
      waitlist_id bigint not null references waitlist (id),
      digest text not null,
      type text not null,
      content bytes not null,
      created_at bigint not null,
      primary key (waitlist_id, digest)
    )`,
    'alter table waitlist add column first_steps_dismissed bigint not null default 0',
    `update waitlist set first_steps_dismissed = 1
      where exists (select 1 from queue where queue.waitlist_id = waitlist.id and queue.last_seq > 0)`,
  ],
};
