import { sql } from 'kysely';
import type { ClaimedRow, ClaimRequest, Lease } from '../claims.ts';
import type { Trx } from '../database.ts';
import type { Dialect } from '../dialect.ts';
import type { BulkWrites } from '../trx.ts';
import { insertOf, updateOf } from './bulk.ts';
import * as citusBulk from './citus-bulk.ts';
import { claimDeliveries as claimOnCitus } from './citus-claims.ts';
import { claimDeliveries } from './claims.ts';
import { postgresDialect } from './dialect.ts';

/** How statements are written: for one PostgreSQL, or for queues that Citus spreads over workers. */
export interface Flavor extends BulkWrites {
  readonly isDistributed: boolean;
  readonly dialect: Dialect;
  claimDeliveries(trx: Trx, requests: readonly ClaimRequest[], lease: Lease): Promise<ClaimedRow[][]>;
}

export const PLAIN: Flavor = {
  ...{ isDistributed: false, dialect: postgresDialect },
  ...{ insertOf, updateOf, claimDeliveries },
};

/** Each shard groups its own deliveries. */
const citusDialect: Dialect = {
  ...postgresDialect,
  dueTargets: sql`select queue_id, channel, target_id, min(due_at) as due_at from delivery
    where due_at is not null group by queue_id, channel, target_id`,
  isSpread: true,
};

export const DISTRIBUTED: Flavor = {
  ...{ isDistributed: true, dialect: citusDialect },
  ...citusBulk,
  claimDeliveries: claimOnCitus,
};
