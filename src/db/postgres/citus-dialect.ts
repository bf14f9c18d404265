import { sql } from 'kysely';
import type { Dialect } from '../dialect.ts';
import { postgresDialect } from './dialect.ts';

/** Each shard groups its own deliveries. */
export const citusDialect: Dialect = {
  ...postgresDialect,
  dueTargets: sql`select queue_id, channel, target_id, min(due_at) as due_at from delivery
    where due_at is not null group by queue_id, channel, target_id`,
  isSpread: true,
};
