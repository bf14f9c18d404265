import type { QueueChange } from '../waitlist/queue-change.ts';

/**
 * Takes a person out of everything that was ever told: bodies of the events that show the entry (as itself or as
 * somebody's referrer) or an invite to its email, mails among them, what receivers answered, and that the address
 * wanted no mail. Call it while the entry
 * still has its email's hash.
 */
export async function shredEventsOf({ trx, queue }: QueueChange, entrySeq: number): Promise<void> {
  const entry = trx
    .selectFrom('entry')
    .select('id')
    .where('queue_id', '=', queue.id)
    .where('seq', '=', entrySeq);
  const invites = trx
    .selectFrom('invite')
    .innerJoin('entry', (join) =>
      join
        .onRef('entry.queue_id', '=', 'invite.queue_id')
        .onRef('entry.email_hash', '=', 'invite.email_hash'),
    )
    .select('invite.id')
    .where('entry.queue_id', '=', queue.id)
    .where('entry.seq', '=', entrySeq);
  const events = trx
    .selectFrom('event_subject')
    .select('event_id')
    .where('queue_id', '=', queue.id)
    .where((e) => e.or([e('subject', 'in', entry), e('subject', 'in', invites)]));
  await trx
    .updateTable('event')
    .set({ body: null })
    .where('queue_id', '=', queue.id)
    .where('id', 'in', events)
    .execute();
  await trx
    .deleteFrom('mail_suppression')
    .where('queue_id', '=', queue.id)
    .where('email_hash', 'in', entry.clearSelect().select('email_hash'))
    .execute();
  await trx
    .updateTable('delivery_attempt')
    .set({ response: null })
    .where('queue_id', '=', queue.id)
    .where('event_id', 'in', events)
    .execute();
}
