import type { Trx } from '../../db/database.ts';
import type { DomainEvent } from './events.ts';
import type { Queue } from './queue.ts';
import type { QueueSettings } from './queue-settings.ts';
import type { Tally } from './tally.ts';

/** A queue whose lock this transaction holds: what it reads here stays true until the commit. */
export interface QueueChange {
  readonly trx: Trx;
  readonly queue: Queue;
  /** On the clock that all instances share. */
  readonly now: number;
  readonly settings: QueueSettings;
  /** How many were waiting when the lock was taken. */
  readonly waiting: number;
  /** How many rules decide about signups. */
  readonly rules: number;
  lastSeq: number;
  /** What the next entry gets: see `place.ts`. */
  readonly places: { closed: number; opened: number };
  readonly tally: Tally;
  /** Records an event. Costs nothing if no listener wants it. */
  record(event: DomainEvent): void;
}
