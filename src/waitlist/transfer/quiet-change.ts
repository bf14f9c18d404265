import type { QueueChange } from '../queue-change.ts';

/** The same change, of which nobody is told: what happened elsewhere, long ago, is no news. */
export function quietly(change: QueueChange): QueueChange {
  const { trx, queue, now, settings, tally, send } = change;
  return {
    ...{ trx, queue, now, settings, tally, send },
    record: () => {},
    get lastSeq() {
      return change.lastSeq;
    },
    set lastSeq(seq) {
      change.lastSeq = seq;
    },
  };
}
