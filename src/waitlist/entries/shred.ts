import { attemptsOver, endDeliveries } from '../../outbox/erase.ts';
import type { Context } from '../queue/context.ts';
import type { QueueChange } from '../queue/queue-change.ts';

export interface Shredded {
  entryId: Uint8Array | null;
  emailHash: Uint8Array | null;
}

/**
 * Takes a person out of everything that was ever told: bodies of the events that show the entry (as itself or as
 * somebody's referrer), of those that show an invite to its email, of mails to that address, what receivers answered,
 * and that the address wanted no mail. What was to be sent of it is ended. Call it while invites still have the
 * email's hash, and after the commit call what it returns: it resolves once nothing more of the person can be sent.
 */
export async function shredEventsOf(
  { db }: Context,
  change: QueueChange,
  shredded: Shredded,
): Promise<() => Promise<void>> {
  const { trx, queue, now } = change;
  const eventIds = await eventsAbout(change, shredded);
  const open = await endDeliveries(db, trx, { queueId: queue.id, eventIds, now });
  const events = db.bytesList(eventIds);
  await trx
    .updateTable('event')
    .set({ body: null })
    .where('queue_id', '=', queue.id)
    .where((e) => db.inBytes(e.ref('id'), e.val(events)))
    .execute();
  await trx
    .updateTable('delivery_attempt')
    .set({ response: null })
    .where('queue_id', '=', queue.id)
    .where((e) => db.inBytes(e.ref('event_id'), e.val(events)))
    .execute();
  await trx
    .deleteFrom('event_subject')
    .where('queue_id', '=', queue.id)
    .where('subject', '=', shredded.emailHash)
    .execute();
  await trx
    .deleteFrom('mail_suppression')
    .where('queue_id', '=', queue.id)
    .where('email_hash', '=', shredded.emailHash)
    .execute();
  await db.markErased(trx);
  return () => attemptsOver(db, queue.id, open);
}

async function eventsAbout(
  { trx, queue }: QueueChange,
  { entryId, emailHash }: Shredded,
): Promise<Uint8Array[]> {
  const invites = trx
    .selectFrom('invite')
    .select('id')
    .where('queue_id', '=', queue.id)
    .where('email_hash', '=', emailHash);
  const rows = await trx
    .selectFrom('event_subject')
    .select('event_id')
    .distinct()
    .where('queue_id', '=', queue.id)
    .where((e) =>
      e.or([e('subject', '=', entryId), e('subject', '=', emailHash), e('subject', 'in', invites)]),
    )
    .execute();
  return rows.map(({ event_id }) => event_id);
}
