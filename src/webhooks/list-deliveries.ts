import { invalid, notFound } from '../lib/errors.ts';
import { formatId, parseId } from '../lib/ids.ts';
import { compareText } from '../lib/text.ts';
import { responseRow } from '../outbox/delivery.ts';
import {
  type DeliveryFilter,
  type DeliveryRow,
  type PageQuery,
  readDeliveriesAbout,
  readDelivery,
  readDeliveryPage,
} from '../outbox/read-deliveries.ts';
import { ifReadable } from '../vault/crypto.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { Queue } from '../waitlist/queue/queue.ts';
import { type EndpointRow, findEndpoint, readEndpoint } from './endpoints.ts';
import { endpointTarget, WEBHOOK_CHANNEL } from './listener.ts';
import { plainHeaders } from './send.ts';

export const DELIVERY_STATES = ['pending', 'held', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];
export const DELIVERIES_PAGE_MAX = 200;

export interface Delivery {
  endpoint: string;
  event: string;
  kind: string;
  state: DeliveryState;
  attempts: number;
  createdAt: number;
  nextAttemptAt: number | null;
  deliveredAt: number | null;
  failedAt: number | null;
}

export interface DeliveryAttempt {
  attempt: number;
  at: number;
  status: number | null;
  durationMs: number;
  error: string | null;
  /** The beginning of the response, or null if it was empty or erased with a person. */
  response: string | null;
}

export interface DeliveryDetails extends Delivery {
  request: {
    /** null if the settings of the endpoint are damaged. */
    url: string | null;
    /** null if the value is secret, or differs with each attempt. */
    headers: Record<string, string | null>;
    /** null if the person it is about was erased, or if it is damaged. */
    body: string | null;
  };
  log: DeliveryAttempt[];
}

interface DeliveryQuery {
  limit: number;
  state?: DeliveryState | undefined;
  /** The kind of event. */
  kind?: string | undefined;
  /** Where the previous page ended. */
  cursor?: string | undefined;
}

export interface DeliveryList {
  deliveries: Delivery[];
  nextCursor: string | null;
}

type Owner = Pick<EndpointRow, 'queue_id' | 'id' | 'disabled_at'>;

/** Deliveries to one endpoint, newest first. */
export async function listDeliveries(
  context: Context,
  endpointId: string,
  { limit, state, kind, cursor }: DeliveryQuery,
): Promise<DeliveryList> {
  checkLimit(limit);
  const { row: endpoint } = await findEndpoint(context, endpointId);
  const before = cursor === undefined ? undefined : { eventId: parseCursor(cursor), inclusive: false };
  const { deliveries, next } = await readPage(context, endpoint, { limit, kind, before }, state);
  return { deliveries, nextCursor: next && formatId('evt', next) };
}

/** Deliveries to all endpoints, of one queue or of the installation, newest first. */
export async function listAllDeliveries(
  context: Context,
  queue: Queue | undefined,
  { limit, state, cursor }: DeliveryQuery,
): Promise<DeliveryList> {
  checkLimit(limit);
  const from = cursor === undefined ? undefined : parseAllCursor(cursor);
  const found: Delivery[] = [];
  for (const row of await findOwners(context, queue)) {
    // For the event at the end of the last page, later endpoints are still missing.
    const inclusive = from !== undefined && formatId('whe', row.id) > from.endpoint;
    const before = from && { eventId: from.eventId, inclusive };
    for (let next = before; ; ) {
      const page = await readPage(context, row, { limit: limit + 1, before: next }, state);
      found.push(...page.deliveries);
      if (page.next === null || page.deliveries.length > limit) break;
      next = { eventId: Buffer.from(page.next), inclusive: false };
    }
  }
  // Ids sort the same as text and as bytes.
  found.sort((a, b) => compareText(b.event, a.event) || compareText(a.endpoint, b.endpoint));
  return listOf(found, limit);
}

/** Deliveries to all endpoints of a queue about one entry, newest first. */
export async function listDeliveriesAbout(
  context: Context,
  queue: Queue,
  entryId: Uint8Array,
  { limit, cursor }: Pick<DeliveryQuery, 'limit' | 'cursor'>,
): Promise<DeliveryList> {
  checkLimit(limit);
  const from = cursor === undefined ? undefined : parseAllCursor(cursor);
  const owners = new Map((await findOwners(context, queue)).map((row) => [formatId('whe', row.id), row]));
  const rows = await readDeliveriesAbout(
    context.db,
    { queueId: queue.id, channel: WEBHOOK_CHANNEL },
    [entryId],
    { limit: limit + 1, after: from && { eventId: from.eventId, targetId: from.targetId } },
  );
  const found = rows.map((row) =>
    viewDelivery(row, (owners.get(formatId('whe', row.target_id))?.disabled_at ?? null) !== null),
  );
  return listOf(found, limit);
}

function listOf(found: readonly Delivery[], limit: number): DeliveryList {
  const deliveries = found.slice(0, limit);
  const last = found.length > limit ? deliveries.at(-1) : undefined;
  return { deliveries, nextCursor: last ? `${last.event}/${last.endpoint}` : null };
}

function findOwners({ db }: Context, queue: Queue | undefined): Promise<Owner[]> {
  const owners = db.query
    .selectFrom('webhook_endpoint')
    .select(['queue_id', 'id', 'disabled_at'])
    .orderBy('id');
  return (queue ? owners.where('queue_id', '=', queue.id) : owners).execute();
}

function parseCursor(cursor: string): Buffer {
  const id = parseId('evt', cursor);
  if (!id) throw invalid('cursor: must be the nextCursor of the previous page');
  return id;
}

function parseAllCursor(cursor: string): { eventId: Buffer; endpoint: string; targetId: Buffer } {
  const [event = '', endpoint = ''] = cursor.split('/');
  const targetId = parseId('whe', endpoint);
  if (!targetId) throw invalid('cursor: must be the nextCursor of the previous page');
  return { eventId: parseCursor(event), endpoint, targetId };
}

function checkLimit(limit: number): void {
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= DELIVERIES_PAGE_MAX))
    throw invalid(`limit: must be a whole number from 1 to ${DELIVERIES_PAGE_MAX}`);
}

async function readPage(
  context: Context,
  endpoint: Owner,
  query: PageQuery,
  state: DeliveryState | undefined,
): Promise<{ deliveries: Delivery[]; next: Uint8Array | null }> {
  const disabled = endpoint.disabled_at !== null;
  if (state !== undefined && state === (disabled ? 'pending' : 'held')) return { deliveries: [], next: null };
  const target = endpointTarget(endpoint.queue_id, endpoint.id);
  const outcome = state && OUTCOMES[state];
  const { rows, next } = await readDeliveryPage(context.db, target, { ...query, outcome });
  return { deliveries: rows.map((row) => viewDelivery(row, disabled)), next };
}

const OUTCOMES: Record<DeliveryState, NonNullable<DeliveryFilter['outcome']>> = {
  pending: 'open',
  held: 'open',
  delivered: 'done',
  failed: 'failed',
};

/** One delivery, with the request and each attempt with its response. */
export async function showDelivery(
  context: Context,
  endpointId: string,
  eventId: string,
): Promise<DeliveryDetails> {
  const { queue, row: endpoint } = await findEndpoint(context, endpointId);
  const id = requireEventId(eventId);
  const row = await readDelivery(context.db, endpointTarget(queue.id, endpoint.id), id);
  if (!row) throw notFound(`there is no delivery of ${eventId} to this endpoint, or it has been deleted`);
  const { url, headers } = readEndpoint(queue, endpoint);
  const hidden = Object.fromEntries(headers.map((name) => [name, null]));
  return {
    ...viewDelivery(row, endpoint.disabled_at !== null),
    request: {
      url,
      headers: { ...hidden, ...plainHeaders(eventId) },
      body: row.body && openText(queue, 'event.body', id, row.body),
    },
    log: await readAttempts(context, queue, endpoint.id, id),
  };
}

async function readAttempts(
  { db }: Context,
  queue: Queue,
  endpointId: Uint8Array,
  eventId: Uint8Array,
): Promise<DeliveryAttempt[]> {
  const rows = await db.query
    .selectFrom('delivery_attempt')
    .selectAll()
    .where('queue_id', '=', queue.id)
    .where('event_id', '=', eventId)
    .where('channel', '=', WEBHOOK_CHANNEL)
    .where('target_id', '=', endpointId)
    .orderBy('attempt')
    .execute();
  return rows.map(({ attempt, at, status, duration_ms, error, response }) => ({
    attempt,
    at,
    status,
    durationMs: duration_ms,
    error,
    response:
      response &&
      openText(queue, 'delivery.response', responseRow({ id: endpointId }, { eventId, attempt }), response),
  }));
}

function viewDelivery(row: DeliveryRow, disabled: boolean): Delivery {
  const waiting = disabled ? 'held' : 'pending';
  return {
    endpoint: formatId('whe', row.target_id),
    event: formatId('evt', row.event_id),
    kind: row.kind,
    state: row.due_at !== null ? waiting : row.failed_at !== null ? 'failed' : 'delivered',
    attempts: row.attempts,
    createdAt: row.created_at,
    nextAttemptAt: disabled ? null : row.due_at,
    deliveredAt: row.delivered_at,
    failedAt: row.failed_at,
  };
}

function openText(
  { vault }: Queue,
  place: 'event.body' | 'delivery.response',
  row: Uint8Array,
  sealed: Uint8Array,
): string | null {
  return ifReadable(() => vault.open<string>(place, row, sealed)) ?? null;
}

export function requireEventId(text: string): Buffer {
  const id = parseId('evt', text);
  if (!id) throw invalid('event id: must look like evt_…, as `webhook deliveries` prints it');
  return id;
}
