import type { Migration } from './migration.ts';

/** Settings of the installation, and waitlists whose rows are still being removed. */
export const settings: Migration = {
  version: 16,
  statements: [
    `alter table instance add column default_time_zone text not null default 'UTC'`,
    'alter table waitlist add column deleted_at bigint',
    'create index waitlist_deleted on waitlist (deleted_at) where deleted_at is not null',
  ],
};
