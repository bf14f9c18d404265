import type { QueueChange } from '../../queue/queue-change.ts';

/** The same change, with its events marked as imported or not recorded at all. */
export function importing(change: QueueChange, recordEvents: boolean): QueueChange {
  const { trx, queue, now, settings, waiting, places, tally } = change;
  return {
    ...{ trx, queue, now, settings, waiting, places, tally },
    record: (event) => {
      if (recordEvents) change.record({ ...event, imported: true });
    },
    get lastSeq() {
      return change.lastSeq;
    },
    set lastSeq(seq) {
      change.lastSeq = seq;
    },
  };
}
