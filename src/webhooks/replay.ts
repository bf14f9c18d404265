import { sharedNow } from '../db/shared-clock.ts';
import { invalid, notFound } from '../errors.ts';
import { formatId, newId } from '../ids.ts';
import { writeMessages } from '../outbox/message.ts';
import { resendDeliveries } from '../outbox/resend.ts';
import type { Context } from '../waitlist/queue/context.ts';
import { presentEvent } from '../wire/event.ts';
import { requireEventId } from './deliveries.ts';
import { type FoundEndpoint, findEndpoint } from './endpoints.ts';
import { endpointTarget, WEBHOOK_CHANNEL } from './target.ts';

const STEP = 1_000;

/** Sends one event to one endpoint again, whatever its outcome was. */
export async function replayEvent(
  context: Context,
  endpointId: string,
  eventId: string,
): Promise<{ replayed: number }> {
  const found = await findEndpoint(context, endpointId);
  const id = requireEventId(eventId);
  await replayable(context, found, id, eventId);
  return { replayed: await replayThese(context, found, [id]) };
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

/** Sends everything again that has failed since that time, in steps. */
export async function replayFailed(
  context: Context,
  endpointId: string,
  since: number,
): Promise<{ replayed: number }> {
  const found = await findEndpoint(context, endpointId);
  let replayed = 0;
  for (;;) {
    const failed = await context.db.query
      .selectFrom('delivery as d')
      .innerJoin('event as e', (join) =>
        join.onRef('e.queue_id', '=', 'd.queue_id').onRef('e.id', '=', 'd.event_id'),
      )
      .select('d.event_id')
      .where('d.queue_id', '=', found.queue.id)
      .where('d.channel', '=', WEBHOOK_CHANNEL)
      .where('d.target_id', '=', found.row.id)
      .where('d.failed_at', '>=', since)
      .where('e.body', 'is not', null)
      .limit(STEP)
      .execute();
    const ids = failed.map(({ event_id }) => event_id);
    replayed += ids.length === 0 ? 0 : await replayThese(context, found, ids);
    if (ids.length < STEP) return { replayed };
  }
}

async function replayThese(
  context: Context,
  { queue, row }: FoundEndpoint,
  ids: readonly Uint8Array[],
): Promise<number> {
  const count = await resendDeliveries(context, endpointTarget(queue.id, row.id), ids, { onlyEnded: false });
  if (count === 0) throw notFound('this event was not sent to this endpoint');
  return count;
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
  const targets = await db.transaction(async (trx) =>
    writeMessages(trx, queue.id, [message], await sharedNow(context, trx)),
  );
  wakeUps.send(targets);
  return { event: formatId('evt', id) };
}
