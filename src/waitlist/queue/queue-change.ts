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
  /** Says that something happened. Costs nothing where nobody listens. */
  record(event: DomainEvent): void;
}
