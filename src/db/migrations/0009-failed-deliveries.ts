import type { Migration } from './migration.ts';

/** Counts what was given up without reading every delivery. */
export const failedDeliveries: Migration = {
  version: 9,
  statements: ['create index delivery_failed on delivery (queue_id, channel) where failed_at is not null'],
};
