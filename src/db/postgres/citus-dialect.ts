import { sql } from 'kysely';
import type { Dialect } from '../dialect.ts';
import { postgresDialect } from './dialect.ts';

/** Citus refuses to step from queue to queue along an index, so each shard groups its own deliveries. */
export const citusDialect: Dialect = {
  ...postgresDialect,
  dueTargets: sql`select queue_id, channel, target_id, min(due_at) as due_at from delivery
    where due_at is not null group by queue_id, channel, target_id`,
};
