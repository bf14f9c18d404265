import type { Migration } from './migration.ts';

/** Changed settings that the queues of a waitlist take over one after the other. */
export const unsettledWaitlists: Migration = {
  version: 22,
  statements: [
    'alter table waitlist add column unsettled text',
    'create index waitlist_unsettled on waitlist (id) where unsettled is not null',
  ],
};
