import { type RawBuilder, sql } from 'kysely';
import { sharedNow } from '../db/shared-clock.ts';
import type { WebhookEndpointTable } from '../db/tables.ts';
import { damaged, invalid, notFound } from '../lib/errors.ts';
import { formatId, oldestId, parseId, queueIdIn } from '../lib/ids.ts';
import { readRow, type ValuesOf, withDefaults } from '../lib/setting.ts';
import { HEALTH_COUNT_MAX } from '../outbox/delivery-health.ts';
import { ifReadable } from '../vault/crypto.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { Queue } from '../waitlist/queue/queue.ts';
import { withQueues } from '../waitlist/queue/readable.ts';
import { RECENT_MS } from '../waitlist/upkeep/health.ts';
import { COLUMN_SETTINGS, type EndpointInput, SEALED_SETTINGS } from './endpoint-settings.ts';
import type { Secret } from './signing.ts';

/** Why an endpoint is disabled. */
export const BY_OPERATOR = 'disabled by an operator';
export const ANSWERED_GONE = 'answered 410 Gone';

/** The sealed part of an endpoint. */
interface SealedEndpoint extends ValuesOf<typeof SEALED_SETTINGS> {
  secrets: Secret[];
}

export interface Endpoint extends Omit<EndpointInput, 'url' | 'headers'> {
  id: string;
  waitlistId: string;
  environment: string;
  /** null if its settings are damaged. */
  url: string | null;
  /** Names only, because values may be passwords. */
  headers: string[];
  disabledAt: number | null;
  disabledReason: string | null;
  failingSince: number | null;
  lastSuccessAt: number | null;
  createdAt: number;
  updatedAt: number;
}

export type EndpointRow = Omit<WebhookEndpointTable, 'rate_used_until'> & { rate_used_until: number };

export async function listEndpoints(context: Context, queue?: Queue): Promise<Endpoint[]> {
  let query = context.db.query.selectFrom('webhook_endpoint').selectAll().orderBy('queue_id').orderBy('id');
  if (queue) query = query.where('queue_id', '=', queue.id);
  const found = await withQueues(context, await query.execute());
  return found.map(({ queue: owner, row }) => readEndpoint(owner, row));
}

export interface FoundEndpoint {
  queue: Queue;
  row: EndpointRow;
}

export async function findEndpoint(context: Context, endpointId: string): Promise<FoundEndpoint> {
  const id = parseId('whe', endpointId);
  if (!id) throw invalid('endpoint id: must look like whe_…, as `webhook list` prints it');
  const row = await context.db.query
    .selectFrom('webhook_endpoint')
    .selectAll()
    .where('queue_id', '=', queueIdIn(id))
    .where('id', '=', id)
    .executeTakeFirst();
  const queue = row && (await context.registry.queueById(row.queue_id));
  if (!row || !queue) throw notFound(`there is no webhook endpoint ${endpointId}`);
  return { queue, row };
}

/** An endpoint of this queue. One of another queue is not found. */
export async function findEndpointIn(
  context: Context,
  queue: Queue,
  endpointId: string,
): Promise<FoundEndpoint> {
  const found = parseId('whe', endpointId) && (await findEndpoint(context, endpointId));
  if (found?.queue.id !== queue.id) throw notFound(`there is no webhook endpoint ${endpointId}`);
  return found;
}

export function sealEndpoint({ vault }: Queue, id: Uint8Array, value: SealedEndpoint): Buffer {
  return vault.seal('endpoint.sealed', id, value);
}

/** Throws `Unreadable`. */
export function openEndpoint({ vault }: Queue, row: Pick<EndpointRow, 'id' | 'sealed'>): SealedEndpoint {
  return vault.open<SealedEndpoint>('endpoint.sealed', row.id, row.sealed);
}

/** For what cannot be done without its settings. */
export function requireSettings(queue: Queue, row: EndpointRow): SealedEndpoint {
  const sealed = ifReadable(() => openEndpoint(queue, row));
  if (!sealed) throw damaged('the settings of this endpoint are damaged: delete it, and create another one');
  return sealed;
}

/** For everyone who cannot change the endpoint: path and query may contain a password. */
export function originOf(url: string): string {
  return new URL(url).origin;
}

export function readEndpoint(queue: Queue, row: EndpointRow): Endpoint {
  const sealed = ifReadable(() => openEndpoint(queue, row));
  return {
    id: formatId('whe', row.id),
    waitlistId: queue.waitlist.id,
    environment: queue.environment,
    ...withDefaults(SEALED_SETTINGS, sealed),
    url: sealed?.url ?? null,
    headers: Object.keys(sealed?.headers ?? {}),
    ...readRow(COLUMN_SETTINGS, row),
    disabledAt: row.disabled_at,
    disabledReason: row.disabled_reason,
    failingSince: row.failing_since,
    lastSuccessAt: row.last_success_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** How many deliveries to the endpoint `w` were given up lately. Counting stops at `HEALTH_COUNT_MAX`. */
export function failedLately(now: number): RawBuilder<number> {
  return sql<number>`(select count(*) from (select 1 from delivery as d where d.queue_id = w.queue_id
    and d.channel = 'webhook' and d.target_id = w.id and d.failed_at is not null
    and d.event_id >= ${oldestId(now - RECENT_MS)} limit ${HEALTH_COUNT_MAX}) as counted)`;
}

/** By id, of all endpoints of a queue. */
export async function countFailedLately(context: Context, queue: Queue): Promise<Map<string, number>> {
  const now = await sharedNow(context);
  const rows = await context.db.query
    .selectFrom('webhook_endpoint as w')
    .select(['w.id', failedLately(now).as('failed')])
    .where('w.queue_id', '=', queue.id)
    .execute();
  return new Map(rows.map(({ id, failed }) => [formatId('whe', id), Number(failed)]));
}
