import type { Row } from '../bulk.ts';
import type { ClaimedRow, ClaimRequest, Lease } from '../claims.ts';
import type { OnConflict, Trx } from '../database.ts';
import type { Dialect } from '../dialect.ts';
import type { NamedQuery } from '../statement.ts';
import type { TableName } from '../tables.ts';
import { insertOf, updateOf } from './bulk.ts';
import * as citusBulk from './citus-bulk.ts';
import { claimDeliveries as claimOnCitus } from './citus-claims.ts';
import { citusDialect } from './citus-dialect.ts';
import { claimDeliveries } from './claims.ts';
import { postgresDialect } from './dialect.ts';

/** How statements are written: for one PostgreSQL, or for queues that Citus spreads over workers. */
export interface Flavor {
  readonly isDistributed: boolean;
  readonly dialect: Dialect;
  insertOf(
    table: TableName,
    rows: readonly Row[],
    onConflict: OnConflict<never> | undefined,
  ): NamedQuery | NamedQuery[];
  updateOf(table: TableName, rows: readonly Row[], key: readonly string[]): NamedQuery | NamedQuery[];
  claimDeliveries(trx: Trx, requests: readonly ClaimRequest[], lease: Lease): Promise<ClaimedRow[][]>;
}

export const PLAIN: Flavor = {
  ...{ isDistributed: false, dialect: postgresDialect },
  ...{ insertOf, updateOf, claimDeliveries },
};

export const DISTRIBUTED: Flavor = {
  ...{ isDistributed: true, dialect: citusDialect },
  ...citusBulk,
  claimDeliveries: claimOnCitus,
};
