import { sharedNow } from '../db/shared-clock.ts';
import { DELIVERY_COLUMNS, EVENT_COLUMNS } from '../db/tables.ts';
import { invalid, notFound } from '../errors.ts';
import { formatId, newId } from '../ids.ts';
import type { Context } from '../waitlist/queue/context.ts';
import { presentEvent } from '../wire/event.ts';
import { requireEventId } from './deliveries.ts';
import { type FoundEndpoint, findEndpoint } from './endpoints.ts';
import { endpointTarget } from './target.ts';

const STEP = 1_000;
/** Due at once, from the start of the schedule; who may still be at it no longer decides the outcome. */
const AFRESH = { tries: 0, token: null, delivered_at: null, failed_at: null };

/** Sends one event to one endpoint again, whatever became of it before. */
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
  if (!event) throw notFound(`${shown} was not recorded here, or is no longer kept`);
  if (event.body === null)
    throw invalid(`${shown} told of a person who was erased: there is nothing left to send`);
}

/** Sends everything again that was given up since that time, in steps. */
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
      .where('d.channel', '=', 'webhook')
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
  const { db, wakeUps } = context;
  const count = await db.transaction(async (trx) => {
    await db.lockDeliveries(trx, [queue.id], 'shared');
    const now = await sharedNow(context, trx);
    const updated = await trx
      .updateTable('delivery')
      .set({ ...AFRESH, due_at: now })
      .where('queue_id', '=', queue.id)
      .where('channel', '=', 'webhook')
      .where('target_id', '=', row.id)
      .where((e) => db.inBytes(e.ref('event_id'), e.val(db.bytesList(ids))))
      .executeTakeFirst();
    return Number(updated.numUpdatedRows);
  });
  if (count === 0) throw notFound('this event was not meant for this endpoint');
  wakeUps.send([endpointTarget(queue.id, row.id)]);
  return count;
}

/** An event that says that it is a test, for this endpoint alone; otherwise it travels like any other. */
export async function sendTestEvent(context: Context, endpointId: string): Promise<{ event: string }> {
  const { queue, row } = await findEndpoint(context, endpointId);
  const { db, wakeUps } = context;
  const at = context.clock();
  const id = newId(at);
  const data = { message: 'This is a test. Nothing has happened.' };
  const event = presentEvent(queue, { id, at, kind: 'webhook.test', data });
  const body = queue.vault.seal('event.body', id, JSON.stringify(event));
  await db.transaction(async (trx) => {
    const dueAt = await sharedNow(context, trx);
    const eventRow = [queue.id, id, 'webhook.test', body, at];
    await db.insertRows(trx, { table: 'event', columns: EVENT_COLUMNS, rows: [eventRow] });
    const delivery = [queue.id, 'webhook', row.id, id, dueAt];
    await db.insertRows(trx, { table: 'delivery', columns: DELIVERY_COLUMNS, rows: [delivery] });
  });
  wakeUps.send([endpointTarget(queue.id, row.id)]);
  return { event: formatId('evt', id) };
}
