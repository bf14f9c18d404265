import type { Migration } from './migration.ts';

const OPEN = 'i.accepted_at is null and i.revoked_at is null and i.expired_at is null';

function count(where: string): string {
  return `(select count(*) from invite as i where i.queue_id = queue.id and ${where})`;
}

/** Apart from the step that adds the columns, which keeps everyone from reading the table. */
export const waveCounters: Migration = {
  version: 32,
  statements: [
    `update queue set open_invites = ${count(OPEN)}, accepted_invites = ${count('i.accepted_at is not null')}`,
  ],
};
