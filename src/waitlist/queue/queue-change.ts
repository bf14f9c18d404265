import type { Trx } from '../../db/database.ts';
import type { Queue } from './directory.ts';
import type { DomainEvent } from './events.ts';
import type { QueueSettings } from './queue-settings.ts';
import type { Tally } from './tally.ts';

/** A queue whose lock this transaction holds: what is read here stays true until the commit. */
export interface QueueChange {
  readonly trx: Trx;
  readonly queue: Queue;
  /** By the clock that instances share. */
  readonly now: number;
  readonly settings: QueueSettings;
  /** How many waited when the lock was taken. */
  readonly waiting: number;
  lastSeq: number;
  readonly tally: Tally;
  /**
   * Takes a write whose result nobody waits for: the commit does, and fails with it. It must have been sent by
   * `trx.send`, `insertRows` or `updateRows`: the builder's own `execute` could reach the database after the commit.
   */
  send(write: Promise<unknown>): void;
  /** Says that something happened. Costs nothing where nobody listens. */
  record(event: DomainEvent): void;
}
