import type { Migration } from './migration.ts';

/**
 * These rows are only written under the lock of their queue's row, so the queue exists. On PostgreSQL, checking it again
 * for each row took more than half of the time of a pair's insert.
 */
export const uncheckedQueues: Migration = {
  version: 33,
  statements: [
    'unreference entry (queue_id)',
    'unreference metadata_pair (queue_id)',
    'unreference rank_count (queue_id)',
  ],
};
