import type { QueueChange } from '../queue/queue-change.ts';

/**
 * The same change, of which at most webhooks are told: what happened elsewhere, long ago, is no news to the people
 * that it happened to.
 */
export function quietly(change: QueueChange, tellWebhooks: boolean): QueueChange {
  const { trx, queue, now, settings, waiting, tally, send } = change;
  return {
    ...{ trx, queue, now, settings, waiting, tally, send },
    record: (event) => {
      if (tellWebhooks) change.record(event, { mail: false });
    },
    mail: () => {},
    get lastSeq() {
      return change.lastSeq;
    },
    set lastSeq(seq) {
      change.lastSeq = seq;
    },
  };
}
