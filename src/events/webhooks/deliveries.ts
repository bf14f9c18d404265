import type { DeliveryAttemptTable } from '../../db/tables.ts';
import { invalid, notFound } from '../../errors.ts';
import { Unreadable } from '../../vault/crypto.ts';
import type { Context } from '../../waitlist/context.ts';
import type { Queue } from '../../waitlist/directory.ts';
import { isoTime, isoTimeOrNull } from '../../waitlist/entries/entry-view.ts';
import { formatId, parseId } from '../../waitlist/ids.ts';
import { responseRow } from '../outbox/attempts.ts';
import { findEndpoint } from './endpoints.ts';

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
  /** The beginning of the answer; null when it was empty, or erased with a person. */
  response: string | null;
}

export interface DeliveryQuery {
  limit: number;
  state?: DeliveryState | undefined;
  /** Where the page before ended. */
  cursor?: string | undefined;
}

/** The newest first. */
export async function listDeliveries(
  context: Context,
  endpointId: string,
  { limit, state, cursor }: DeliveryQuery,
): Promise<{ deliveries: DeliveryView[]; nextCursor: string | null }> {
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= DELIVERIES_PAGE_MAX))
    throw invalid(`limit: must be a whole number from 1 to ${DELIVERIES_PAGE_MAX}`);
  const { row: endpoint } = await findEndpoint(context, endpointId);
  let query = selectDeliveries(context, endpoint.queue_id, endpoint.id)
    .orderBy('d.event_id', 'desc')
    .limit(limit + 1);
  if (cursor !== undefined) query = query.where('d.event_id', '<', requireEventId(cursor));
  if (state === 'delivered') query = query.where('d.delivered_at', 'is not', null);
  if (state === 'failed') query = query.where('d.failed_at', 'is not', null);
  if (state === 'pending' || state === 'held') query = query.where('d.due_at', 'is not', null);
  const disabled = endpoint.disabled_at !== null;
  if (state !== undefined && state === (disabled ? 'pending' : 'held'))
    return { deliveries: [], nextCursor: null };
  const rows = await query.execute();
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return {
    deliveries: page.map((row) => viewDelivery(row, disabled)),
    nextCursor: last ? formatId('evt', last.event_id) : null,
  };
}

/** One delivery with what was sent and each attempt with what came back. */
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
  if (!row) throw notFound(`${eventId} was not sent to this endpoint, or is no longer kept`);
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
  const place = responseRow({ targetId: row.target_id }, { eventId: row.event_id, attempt: row.attempt });
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
