import { statement } from '../db/statement.ts';
import { bytesKey } from '../lib/bytes-key.ts';
import type { Message } from '../outbox/message.ts';
import { takeMail } from '../waitlist/forms/limits.ts';
import type { QueueChange } from '../waitlist/queue/queue-change.ts';

const findMessage = statement<{ queueId: number; id: Uint8Array }, { id: Uint8Array }>((db, parameter) =>
  db.query
    .selectFrom('event')
    .select('id')
    .where('queue_id', '=', parameter('queueId'))
    .where('id', '=', parameter('id')),
);

/**
 * Whether a mailbox that somebody typed may get another mail. Anyone can refer people to an address that they typed
 * themselves, so these mails count like the form's own. A person's second one of the day is never sent, so it does not count.
 */
export function movedUpLimit(
  change: QueueChange,
): (message: Message, mailbox: Uint8Array) => Promise<boolean> {
  const { trx, queue } = change;
  const composed = new Set<string>();
  return async ({ id }, mailbox) => {
    const name = bytesKey(id);
    if (composed.has(name)) return false;
    composed.add(name);
    const [recorded] = await trx.run(findMessage, { queueId: queue.id, id });
    return !recorded && takeMail(change, mailbox);
  };
}
