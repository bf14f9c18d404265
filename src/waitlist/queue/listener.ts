import type { Message } from '../../outbox/message.ts';
import type { EntriesAtCommit } from './entries-at-commit.ts';
import type { DomainEvent } from './events.ts';
import type { QueueChange } from './queue-change.ts';
import type { QueueSettings } from './queue-settings.ts';

/** Turns events of the domain into messages for the outbox. */
export interface Listener {
  /** Asked for each event under the queue's lock: it must cost next to nothing where nobody listens. */
  wants(event: DomainEvent, settings: QueueSettings): boolean;
  /** Called inside the transaction, behind everything else that it writes. */
  compose(
    change: QueueChange,
    events: readonly DomainEvent[],
    entries: EntriesAtCommit,
  ): Promise<readonly Message[]>;
}
