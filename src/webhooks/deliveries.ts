import type { DeliveryAttemptTable } from '../db/tables.ts';
import { invalid, notFound } from '../errors.ts';
import { formatId, parseId } from '../ids.ts';
import { responseRow } from '../outbox/attempt.ts';
import { isoTime, isoTimeOrNull } from '../time.ts';
import { Unreadable } from '../vault/crypto.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { Queue } from '../waitlist/queue/directory.ts';
import { type EndpointRow, findEndpoint } from './endpoints.ts';

export const DELIVERY_STATES = ['pending', 'held', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];
export const DELIVERIES_PAGE_MAX = 200;

export interface DeliveryView {
  event: string;
  kind: string;
  state: DeliveryState;
  attempts: number;
  createdAt: string;
  nextAttemptAt: string | null;
  deliveredAt: string | null;
  failedAt: string | null;
}

export interface AttemptView {
  attempt: number;
  at: string;
  status: number | null;
  durationMs: number;
  error: string | null;
  /** The beginning of the response, or null if it was empty or erased with a person. */
  response: string | null;
}

export interface DeliveryQuery {
  limit: number;
  state?: DeliveryState | undefined;
  /** Where the previous page ended. */
  cursor?: string | undefined;
}

/** Deliveries to one endpoint, newest first. */
export async function listDeliveries(
  context: Context,
  endpointId: string,
  { limit, state, cursor }: DeliveryQuery,
): Promise<{ deliveries: DeliveryView[]; nextCursor: string | null }> {
  checkLimit(limit);
  const { row: endpoint } = await findEndpoint(context, endpointId);
  const before = cursor === undefined ? undefined : { eventId: requireEventId(cursor), inclusive: false };
  const found = await readDeliveries(context, endpoint, { limit: limit + 1, state, before });
  const deliveries = found.slice(0, limit);
  return { deliveries, nextCursor: found.length > limit ? (deliveries.at(-1)?.event ?? null) : null };
}

export type EndpointDeliveryView = DeliveryView & { endpoint: string };

/** Deliveries to all endpoints of a queue, or of all queues, newest first. */
export async function listAllDeliveries(
  context: Context,
  queue: Queue | undefined,
  { limit, state, cursor }: DeliveryQuery,
): Promise<{ deliveries: EndpointDeliveryView[]; nextCursor: string | null }> {
  checkLimit(limit);
  const from = cursor === undefined ? undefined : parseAllCursor(cursor);
  let endpoints = context.db.query
    .selectFrom('webhook_endpoint')
    .select(['queue_id', 'id', 'disabled_at'])
    .orderBy('id');
  if (queue) endpoints = endpoints.where('queue_id', '=', queue.id);
  const found: EndpointDeliveryView[] = [];
  for (const row of await endpoints.execute()) {
    const endpoint = formatId('whe', row.id);
    // For the event at the end of the last page, later endpoints are still missing.
    const before = from && { eventId: from.eventId, inclusive: endpoint > from.endpoint };
    const some = await readDeliveries(context, row, { limit: limit + 1, state, before });
    found.push(...some.map((one) => ({ endpoint, ...one })));
  }
  found.sort((a, b) => compareText(b.event, a.event) || compareText(a.endpoint, b.endpoint));
  const deliveries = found.slice(0, limit);
  const last = found.length > limit ? deliveries.at(-1) : undefined;
  return { deliveries, nextCursor: last ? `${last.event}/${last.endpoint}` : null };
}

/** Ids sort the same as text and as bytes. */
function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function parseAllCursor(cursor: string): { eventId: Buffer; endpoint: string } {
  const [event = '', endpoint = ''] = cursor.split('/');
  if (!parseId('whe', endpoint)) throw invalid('cursor: must be the nextCursor of the previous page');
  return { eventId: requireEventId(event), endpoint };
}

function checkLimit(limit: number): void {
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= DELIVERIES_PAGE_MAX))
    throw invalid(`limit: must be a whole number from 1 to ${DELIVERIES_PAGE_MAX}`);
}

interface ReadQuery {
  limit: number;
  state: DeliveryState | undefined;
  before: { eventId: Buffer; inclusive: boolean } | undefined;
}

async function readDeliveries(
  context: Context,
  endpoint: Pick<EndpointRow, 'queue_id' | 'id' | 'disabled_at'>,
  { limit, state, before }: ReadQuery,
): Promise<DeliveryView[]> {
  const disabled = endpoint.disabled_at !== null;
  if (state !== undefined && state === (disabled ? 'pending' : 'held')) return [];
  let query = selectDeliveries(context, endpoint.queue_id, endpoint.id)
    .orderBy('d.event_id', 'desc')
    .limit(limit);
  if (before) query = query.where('d.event_id', before.inclusive ? '<=' : '<', before.eventId);
  if (state === 'delivered') query = query.where('d.delivered_at', 'is not', null);
  if (state === 'failed') query = query.where('d.failed_at', 'is not', null);
  if (state === 'pending' || state === 'held') query = query.where('d.due_at', 'is not', null);
  return (await query.execute()).map((row) => viewDelivery(row, disabled));
}

/** One delivery, with its body and each attempt with its response. */
export async function showDelivery(
  context: Context,
  endpointId: string,
  eventId: string,
): Promise<DeliveryView & { body: string | null; log: AttemptView[] }> {
  const { queue, row: endpoint } = await findEndpoint(context, endpointId);
  const id = requireEventId(eventId);
  const row = await selectDeliveries(context, queue.id, endpoint.id)
    .select('e.body')
    .where('d.event_id', '=', id)
    .executeTakeFirst();
  if (!row) throw notFound(`there is no delivery of ${eventId} to this endpoint, or it has been deleted`);
  const attempts = await context.db.query
    .selectFrom('delivery_attempt')
    .selectAll()
    .where('queue_id', '=', queue.id)
    .where('event_id', '=', id)
    .where('channel', '=', 'webhook')
    .where('target_id', '=', endpoint.id)
    .orderBy('attempt')
    .execute();
  return {
    ...viewDelivery(row, endpoint.disabled_at !== null),
    body: row.body && queue.vault.open<string>('event.body', id, row.body),
    log: attempts.map((attempt) => viewAttempt(queue, attempt)),
  };
}

function selectDeliveries({ db }: Context, queueId: number, endpointId: Uint8Array) {
  return db.query
    .selectFrom('delivery as d')
    .innerJoin('event as e', (join) =>
      join.onRef('e.queue_id', '=', 'd.queue_id').onRef('e.id', '=', 'd.event_id'),
    )
    .select([
      'd.event_id',
      'd.due_at',
      'd.attempts',
      'd.delivered_at',
      'd.failed_at',
      'e.kind',
      'e.created_at',
    ])
    .where('d.queue_id', '=', queueId)
    .where('d.channel', '=', 'webhook')
    .where('d.target_id', '=', endpointId);
}

interface DeliveryRow {
  event_id: Uint8Array;
  due_at: number | null;
  attempts: number;
  delivered_at: number | null;
  failed_at: number | null;
  kind: string;
  created_at: number;
}

function viewDelivery(row: DeliveryRow, disabled: boolean): DeliveryView {
  const waiting = disabled ? 'held' : 'pending';
  return {
    event: formatId('evt', row.event_id),
    kind: row.kind,
    state: row.due_at !== null ? waiting : row.failed_at !== null ? 'failed' : 'delivered',
    attempts: row.attempts,
    createdAt: isoTime(row.created_at),
    nextAttemptAt: disabled ? null : isoTimeOrNull(row.due_at),
    deliveredAt: isoTimeOrNull(row.delivered_at),
    failedAt: isoTimeOrNull(row.failed_at),
  };
}

function viewAttempt(queue: Queue, row: DeliveryAttemptTable): AttemptView {
  return {
    attempt: row.attempt,
    at: isoTime(row.at),
    status: row.status,
    durationMs: row.duration_ms,
    error: row.error,
    response: row.response && openResponse(queue, row, row.response),
  };
}

function openResponse({ vault }: Queue, row: DeliveryAttemptTable, sealed: Uint8Array): string | null {
  const place = responseRow({ id: row.target_id }, { eventId: row.event_id, attempt: row.attempt });
  try {
    return vault.open<string>('delivery.response', place, sealed);
  } catch (error) {
    if (error instanceof Unreadable) return null;
    throw error;
  }
}

export function requireEventId(text: string): Buffer {
  const id = parseId('evt', text);
  if (!id) throw invalid('event id: must look like evt_…, as `webhook deliveries` prints it');
  return id;
}
