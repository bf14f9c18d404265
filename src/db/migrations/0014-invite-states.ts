import type { Migration } from './migration.ts';

/** The newest invites of each state. */
export const inviteStates: Migration = {
  version: 14,
  statements: [
    `create index invite_live on invite (queue_id, id)
      where accepted_at is null and revoked_at is null and expired_at is null`,
    'create index invite_accepted on invite (queue_id, id) where accepted_at is not null',
    'create index invite_revoked on invite (queue_id, id) where accepted_at is null and revoked_at is not null',
    `create index invite_expired on invite (queue_id, id)
      where accepted_at is null and revoked_at is null and expired_at is not null`,
  ],
};
