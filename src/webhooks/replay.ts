import { sharedNow } from '../db/shared-clock.ts';
import { invalid, notFound } from '../lib/errors.ts';
import { formatId, newId } from '../lib/ids.ts';
import { writeMessages } from '../outbox/message.ts';
import { resendDeliveries } from '../outbox/resend.ts';
import type { Context } from '../waitlist/queue/context.ts';
import { presentEvent } from '../wire/event.ts';
import { type FoundEndpoint, findEndpoint } from './endpoints.ts';
import { requireEventId } from './list-deliveries.ts';
import { endpointTarget } from './listener.ts';

/** Sends one event to one endpoint again, whatever its outcome was. */
export async function replayEvent(
  context: Context,
  endpointId: string,
  eventId: string,
): Promise<{ replayed: number }> {
  const found = await findEndpoint(context, endpointId);
  const id = requireEventId(eventId);
  await replayable(context, found, id, eventId);
  const { audit } = context;
  const object = { kind: 'webhook', id: endpointId } as const;
  const replayed = await resendDeliveries(context, endpointTarget(found.queue.id, found.row.id), [id], {
    onlyEnded: false,
    record:
      audit && ((trx) => audit(trx, { action: 'delivery.replayed', object, after: { event: eventId } })),
  });
  if (replayed === 0) throw notFound('this event was not sent to this endpoint');
  return { replayed };
}

async function replayable(
  { db }: Context,
  { queue }: FoundEndpoint,
  id: Buffer,
  shown: string,
): Promise<void> {
  const event = await db.query
    .selectFrom('event')
    .select('body')
    .where('queue_id', '=', queue.id)
    .where('id', '=', id)
    .executeTakeFirst();
  if (!event) throw notFound(`there is no event ${shown} on this waitlist, or it has been deleted`);
  if (event.body === null)
    throw invalid(`${shown} is about a person who was erased: there is nothing left to send`);
}

/** Sends an event marked as a test to this endpoint only. Otherwise it is delivered like any other. */
export async function sendTestEvent(context: Context, endpointId: string): Promise<{ event: string }> {
  const { queue, row } = await findEndpoint(context, endpointId);
  const { db, wakeUps } = context;
  const at = context.clock();
  const id = newId(at);
  const data = { message: 'This is a test. Nothing has happened.' };
  const event = presentEvent(queue, { id, at, kind: 'webhook.test', data });
  const body = queue.vault.seal('event.body', id, JSON.stringify(event));
  const message = {
    id,
    kind: 'webhook.test',
    body,
    subjects: [],
    targets: [endpointTarget(queue.id, row.id)],
  };
  const targets = await db.transaction(async (trx) => {
    const written = await writeMessages(trx, queue.id, [message], await sharedNow(context, trx));
    const object = { kind: 'webhook', id: endpointId } as const;
    await context.audit?.(trx, { action: 'webhook.tested', object, after: { event: formatId('evt', id) } });
    return written;
  });
  wakeUps.send(targets);
  return { event: formatId('evt', id) };
}
