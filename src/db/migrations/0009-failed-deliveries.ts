import type { Migration } from './migration.ts';

/** Counts and lists what was given up without reading every delivery. */
export const failedDeliveries: Migration = {
  version: 9,
  statements: [
    `create index delivery_failed on delivery (queue_id, channel, target_id, event_id)
      where failed_at is not null`,
  ],
};
