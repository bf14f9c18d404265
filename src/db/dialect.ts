import type { Expression, Kysely, RawBuilder, SqlBool } from 'kysely';
import type { Tables } from './tables.ts';

/** The query builder, and what the engines spell differently. */
export interface Dialect {
  readonly query: Kysely<Tables>;
  /** `column in values` with one bound parameter, however many values there are. */
  in(
    column: Expression<unknown>,
    values: Expression<unknown> | readonly (number | Uint8Array)[],
  ): Expression<SqlBool>;
  /** A table with a row for each of these bytes, in its column `value`. */
  bytes(list: RawBuilder<readonly Uint8Array[]>): RawBuilder<{ value: Uint8Array }>;
  /** How to bind a list as a parameter. */
  list(values: readonly unknown[]): unknown;
  /** The clock that all instances share, to select along with other columns. */
  readonly clock: RawBuilder<number>;
  /** Ends a subquery whose rows will be updated. Skips rows that are locked by other transactions. */
  readonly skipLocked: RawBuilder<unknown>;
  /**
   * A query for every target with unfinished deliveries: `queue_id`, `channel`, `target_id`, and `due_at` of the
   * first one. Steps along the index from target to target, so the cost does not depend on the backlog.
   */
  readonly dueTargets: RawBuilder<unknown>;
  /** Leaves out the queues of servers that do not answer, in statements that are about all queues. */
  reachable(queueId: Expression<unknown>): Expression<SqlBool>;
  /** Whether queues are on several servers, which cannot step from queue to queue along an index. */
  readonly isSpread: boolean;
}
