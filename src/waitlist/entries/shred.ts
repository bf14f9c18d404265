import { eraseMessages } from '../../outbox/erase.ts';
import type { Context } from '../queue/context.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { eraseAnswers } from '../requests/repeated-requests.ts';

interface Shredded {
  entryId: Uint8Array | null;
  emailHash: Uint8Array | null;
}

/**
 * Erases every message that shows the entry or an invite to its email, or is addressed to it, and the
 * suppression and soft bounces of the address, and the kept answers of the queue. Call it while invites still have the email's hash. After the commit, call the
 * returned function: it resolves once nothing more about the person can be sent.
 */
export async function shredEventsOf(
  { db }: Context,
  { trx, queue, now }: QueueChange,
  { entryId, emailHash }: Shredded,
): Promise<() => Promise<void>> {
  const invites = await trx
    .selectFrom('invite')
    .select('id')
    .where('queue_id', '=', queue.id)
    .where('email_hash', '=', emailHash)
    .execute();
  for (const table of ['mail_suppression', 'mail_soft_bounce'] as const)
    await trx
      .deleteFrom(table)
      .where('queue_id', '=', queue.id)
      .where('email_hash', '=', emailHash)
      .execute();
  await eraseAnswers(trx, queue.id);
  const forget = emailHash ? [emailHash] : [];
  const subjects = [...(entryId ? [entryId] : []), ...forget, ...invites.map(({ id }) => id)];
  return eraseMessages(db, trx, { queueId: queue.id, subjects, forget, now });
}
