import type { Message } from '../../outbox/message.ts';
import { type EntryRow, findBySeqs } from './entry-rows.ts';
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

/** Entries as they will be after the commit. Each is read once, however many listeners use it. */
interface EntriesAtCommit {
  read(seqs: readonly number[]): Promise<ReadonlyMap<number, EntryRow>>;
}

export function entriesAtCommit({ trx, queue }: QueueChange): EntriesAtCommit {
  const reads = new Map<number, Promise<EntryRow[]>>();
  return {
    read: async (seqs) => {
      const unread = [...new Set(seqs)].filter((seq) => !reads.has(seq));
      if (unread.length > 0) {
        const reading = trx.run(findBySeqs, { queueId: queue.id, seqs: unread });
        for (const seq of unread) reads.set(seq, reading);
      }
      const rows = await Promise.all(new Set(seqs.map((seq) => reads.get(seq) ?? [])));
      return new Map(rows.flat().map((row) => [row.seq, row]));
    },
  };
}
