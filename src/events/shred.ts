import type { QueueChange } from '../waitlist/queue-change.ts';

export interface Shredded {
  entryId: Uint8Array | null;
  emailHash: Uint8Array | null;
}

/**
 * Takes a person out of everything that was ever told: bodies of the events that show the entry (as itself or as
 * somebody's referrer) or an invite to its email, mails among them, what receivers answered, and that the address
 * wanted no mail. Call it while invites still have the email's hash.
 */
export async function shredEventsOf(
  { trx, queue }: QueueChange,
  { entryId, emailHash }: Shredded,
): Promise<void> {
  const invites = trx
    .selectFrom('invite')
    .select('id')
    .where('queue_id', '=', queue.id)
    .where('email_hash', '=', emailHash);
  const events = trx
    .selectFrom('event_subject')
    .select('event_id')
    .where('queue_id', '=', queue.id)
    .where((e) => e.or([e('subject', '=', entryId), e('subject', 'in', invites)]));
  await trx
    .updateTable('event')
    .set({ body: null })
    .where('queue_id', '=', queue.id)
    .where('id', 'in', events)
    .execute();
  await trx
    .deleteFrom('mail_suppression')
    .where('queue_id', '=', queue.id)
    .where('email_hash', '=', emailHash)
    .execute();
  await trx
    .updateTable('delivery_attempt')
    .set({ response: null })
    .where('queue_id', '=', queue.id)
    .where('event_id', 'in', events)
    .execute();
}
