import { sharedNow } from '../db/shared-clock.ts';
import { invalid, notFound } from '../errors.ts';
import { formatId, newId, oldestId } from '../ids.ts';
import { writeMessages } from '../outbox/message.ts';
import { resendDeliveries } from '../outbox/resend.ts';
import { isoTime } from '../time.ts';
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
  const replayed = await replayThese(context, found, [id], { event: eventId });
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

export interface ReplayRange {
  /** Of the events, in milliseconds. `to` is excluded. */
  from: number;
  to?: number | undefined;
  /** Which deliveries to send again. */
  state: 'failed' | 'delivered';
  /** When they failed, at the earliest. */
  failedSince?: number | undefined;
  /** Stops there. */
  most?: number | undefined;
}

export interface Replayed {
  replayed: number;
  /** When the oldest event happened that was left out because of `most`. */
  continueFrom: number | null;
}

/** Sends everything of a time range again that has failed or was delivered, in steps, oldest first. */
export async function replayRange(
  context: Context,
  endpointId: string,
  range: ReplayRange,
): Promise<Replayed> {
  const { from, to, state, failedSince, most = Number.POSITIVE_INFINITY } = range;
  const found = await findEndpoint(context, endpointId);
  let after: Uint8Array = oldestId(from);
  let replayed = 0;
  for (;;) {
    let query = context.db.query
      .selectFrom('delivery as d')
      .innerJoin('event as e', (join) =>
        join.onRef('e.queue_id', '=', 'd.queue_id').onRef('e.id', '=', 'd.event_id'),
      )
      .select('d.event_id')
      .where('d.queue_id', '=', found.queue.id)
      .where('d.channel', '=', WEBHOOK_CHANNEL)
      .where('d.target_id', '=', found.row.id)
      .where('d.event_id', '>', after)
      .where('e.body', 'is not', null)
      .orderBy('d.event_id')
      .limit(STEP);
    query =
      state === 'failed'
        ? query.where('d.failed_at', 'is not', null)
        : query.where('d.delivered_at', 'is not', null);
    if (to !== undefined) query = query.where('d.event_id', '<', oldestId(to));
    if (failedSince !== undefined) query = query.where('d.failed_at', '>=', failedSince);
    const ids = (await query.execute()).map(({ event_id }) => event_id);
    const last = ids.at(-1);
    if (!last) return { replayed, continueFrom: null };
    if (replayed + ids.length > most)
      return { replayed, continueFrom: Buffer.from(ids[0] ?? last).readUIntBE(0, 6) };
    const first = replayed === 0 ? recordOf(range) : undefined;
    replayed += await replayThese(context, found, ids, first);
    if (ids.length < STEP) return { replayed, continueFrom: null };
    after = last;
  }
}

function recordOf({ from, to, state, failedSince }: ReplayRange): Record<string, unknown> {
  const since = failedSince ?? from;
  return { state, from: isoTime(since), ...(to === undefined ? {} : { to: isoTime(to) }) };
}

/** Sends everything again that has failed since that time. */
export async function replayFailed(
  context: Context,
  endpointId: string,
  since: number,
): Promise<{ replayed: number }> {
  const range = { from: 0, state: 'failed', failedSince: since } as const;
  return { replayed: (await replayRange(context, endpointId, range)).replayed };
}

/** `recorded` is set for the step that the audit trail records: one for each thing that an operator does. */
async function replayThese(
  context: Context,
  { queue, row }: FoundEndpoint,
  ids: readonly Uint8Array[],
  recorded?: Record<string, unknown>,
): Promise<number> {
  const { audit } = context;
  const object = { kind: 'webhook', id: formatId('whe', row.id) } as const;
  return resendDeliveries(context, endpointTarget(queue.id, row.id), ids, {
    onlyEnded: false,
    record:
      audit && recorded && ((trx) => audit(trx, { action: 'delivery.replayed', object, after: recorded })),
  });
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
