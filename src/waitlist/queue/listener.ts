import type { Message } from '../../outbox/message.ts';
import type { EntriesAtCommit } from './entries-at-commit.ts';
import type { DomainEvent } from './events.ts';
import type { QueueChange } from './queue-change.ts';
import type { QueueSettings } from './queue-settings.ts';

/** Turns domain events into messages for the outbox. */
export interface Listener {
  /** Called for each event under the queue's lock, so it must be almost free if nothing is subscribed. */
  wants(event: DomainEvent, settings: QueueSettings): boolean;
  /** Called inside the transaction, after all its other writes. */
  compose(
    change: QueueChange,
    events: readonly DomainEvent[],
    entries: EntriesAtCommit,
  ): Promise<readonly Message[]>;
}
