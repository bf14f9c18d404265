import type { Trx } from '../db/database.ts';
import { sharedNow } from '../db/shared-clock.ts';
import type { WebhookEndpointTable } from '../db/tables.ts';
import { invalid, notFound } from '../errors.ts';
import { formatId, newId, parseId } from '../ids.ts';
import { isoTime, isoTimeOrNull } from '../time.ts';
import { changeQueue } from '../waitlist/queue/change-queue.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { Queue } from '../waitlist/queue/directory.ts';
import { checkEndpoint, type EndpointInput } from './endpoint-input.ts';
import type { Guard } from './guard.ts';
import { liveSecrets, newSecret, rotateSecrets, type Secret } from './secrets.ts';
import { subscriptionsOf } from './subscriptions.ts';
import { endpointTarget } from './target.ts';

export const DEFAULT_OVERLAP_MS = 24 * 60 * 60 * 1000;

/** The sealed part of an endpoint. */
export interface SealedEndpoint {
  url: string;
  description: string;
  headers: Record<string, string>;
  secrets: Secret[];
}

export interface EndpointView {
  id: string;
  waitlistId: string;
  environment: string;
  url: string;
  description: string;
  /** Empty means all. */
  events: string[];
  /** Names only, because values may be passwords. */
  headers: string[];
  rateLimit: number | null;
  enabled: boolean;
  disabledAt: string | null;
  disabledReason: string | null;
  failingSince: string | null;
  lastSuccessAt: string | null;
  createdAt: string;
}

export type CreatedEndpoint = EndpointView & { secret: string };
export type EndpointRow = Omit<WebhookEndpointTable, 'rate_used_until'> & { rate_used_until: number };

export async function createEndpoint(
  context: Context,
  guard: Guard,
  queue: Queue,
  input: EndpointInput,
): Promise<CreatedEndpoint> {
  await checkEndpoint(guard, input);
  const now = context.clock();
  const id = newId(now);
  const secret = newSecret();
  const { url, description, headers } = input;
  const row: EndpointRow = {
    queue_id: queue.id,
    id,
    sealed: sealEndpoint(queue, id, { url, description, headers, secrets: [secret] }),
    events: input.events.join(','),
    rate_limit: input.rateLimit,
    rate_used_until: 0,
    disabled_at: null,
    disabled_reason: null,
    failing_since: null,
    last_success_at: null,
    created_at: now,
    updated_at: now,
  };
  await changeEndpoints(context, queue, async (trx) => {
    await trx.insertInto('webhook_endpoint').values(row).execute();
  });
  return { ...viewEndpoint(queue, row), secret: secret.text };
}

/**
 * Every change to endpoints runs in here, so that the queue's subscriptions change in the same transaction.
 */
async function changeEndpoints<T>(
  context: Context,
  queue: Queue,
  work: (trx: Trx, now: number) => Promise<T>,
): Promise<T> {
  return changeQueue(context, queue, async ({ trx, now }) => {
    const result = await work(trx, now);
    const endpoints = await trx
      .selectFrom('webhook_endpoint')
      .select('events')
      .where('queue_id', '=', queue.id)
      .execute();
    await trx
      .updateTable('queue')
      .set({ listens: subscriptionsOf(endpoints) })
      .where('id', '=', queue.id)
      .execute();
    return result;
  });
}

export async function listEndpoints({ db, directory }: Context, queue?: Queue): Promise<EndpointView[]> {
  let query = db.query.selectFrom('webhook_endpoint').selectAll().orderBy('queue_id').orderBy('id');
  if (queue) query = query.where('queue_id', '=', queue.id);
  const views: EndpointView[] = [];
  for (const row of await query.execute()) {
    const owner = await directory.queueById(row.queue_id);
    if (owner) views.push(viewEndpoint(owner, row));
  }
  return views;
}

export interface FoundEndpoint {
  queue: Queue;
  row: EndpointRow;
  sealed: SealedEndpoint;
}

export async function findEndpoint(context: Context, endpointId: string): Promise<FoundEndpoint> {
  const id = parseId('whe', endpointId);
  if (!id) throw invalid('endpoint id: must look like whe_…, as `webhook list` prints it');
  const row = await context.db.query
    .selectFrom('webhook_endpoint')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst();
  const queue = row && (await context.directory.queueById(row.queue_id));
  if (!row || !queue) throw notFound(`there is no webhook endpoint ${endpointId}`);
  return { queue, row, sealed: openEndpoint(queue, row) };
}

export async function showEndpoint(context: Context, endpointId: string): Promise<EndpointView> {
  const { queue, row } = await findEndpoint(context, endpointId);
  return viewEndpoint(queue, row);
}

/** Changes only what is given. */
export async function updateEndpoint(
  context: Context,
  guard: Guard,
  endpointId: string,
  changes: Partial<EndpointInput>,
): Promise<EndpointView> {
  const { queue, row, sealed } = await findEndpoint(context, endpointId);
  const { url, description, headers } = sealed;
  const events = row.events === '' ? [] : row.events.split(',');
  const input = { url, description, headers, events, rateLimit: row.rate_limit, ...changes };
  await checkEndpoint(guard, input);
  return changeOne(context, queue, row.id, (now, { secrets }) => ({
    sealed: sealEndpoint(queue, row.id, {
      url: input.url,
      description: input.description,
      headers: input.headers,
      secrets: liveSecrets(secrets, now),
    }),
    events: input.events.join(','),
    rate_limit: input.rateLimit,
  }));
}

/** Deliveries that were held while it was disabled are sent as soon as it is enabled. */
export async function setEndpointEnabled(
  context: Context,
  endpointId: string,
  enabled: boolean,
): Promise<EndpointView> {
  const { queue, row } = await findEndpoint(context, endpointId);
  const view = await changeOne(context, queue, row.id, (now) =>
    enabled
      ? { disabled_at: null, disabled_reason: null, failing_since: null }
      : { disabled_at: now, disabled_reason: 'disabled by an operator' },
  );
  if (enabled) context.wakeUps.send([endpointTarget(queue.id, row.id)]);
  return view;
}

export async function rotateEndpointSecret(
  context: Context,
  endpointId: string,
  overlapMs: number,
): Promise<{ id: string; secret: string; previousEndsAt: string | null }> {
  const { queue, row } = await findEndpoint(context, endpointId);
  let secrets: Secret[] = [];
  await changeOne(context, queue, row.id, (now, sealed) => {
    secrets = rotateSecrets(sealed.secrets, now, overlapMs);
    return { sealed: sealEndpoint(queue, row.id, { ...sealed, secrets }) };
  });
  const [current, previous] = secrets as [Secret, Secret?];
  return {
    id: endpointId,
    secret: current.text,
    previousEndsAt: isoTimeOrNull(previous?.endsAt ?? null),
  };
}

/** For operators. */
export async function revealSecret(context: Context, endpointId: string) {
  const { sealed } = await findEndpoint(context, endpointId);
  const [current, ...previous] = liveSecrets(sealed.secrets, await sharedNow(context)) as [
    Secret,
    ...Secret[],
  ];
  return {
    id: endpointId,
    secret: current.text,
    previous: previous.map(({ text, endsAt }) => ({ secret: text, endsAt: isoTimeOrNull(endsAt) })),
  };
}

async function changeOne(
  context: Context,
  queue: Queue,
  id: Uint8Array,
  changesOf: (now: number, sealed: SealedEndpoint) => Partial<EndpointRow>,
): Promise<EndpointView> {
  return changeEndpoints(context, queue, async (trx, now) => {
    const row = await trx
      .selectFrom('webhook_endpoint')
      .selectAll()
      .where('queue_id', '=', queue.id)
      .where('id', '=', id)
      .executeTakeFirst();
    if (!row) throw notFound('this webhook endpoint has been deleted');
    const changes = { ...changesOf(now, openEndpoint(queue, row)), updated_at: now };
    await trx
      .updateTable('webhook_endpoint')
      .set(changes)
      .where('queue_id', '=', queue.id)
      .where('id', '=', id)
      .execute();
    return viewEndpoint(queue, { ...row, ...changes });
  });
}

const DELETE_STEP = 1_000;

/** Deletes the endpoint first, so that nothing more is sent, and then its deliveries in small steps. */
export async function deleteEndpoint(context: Context, endpointId: string): Promise<void> {
  const { queue, row } = await findEndpoint(context, endpointId);
  const { db } = context;
  await changeEndpoints(context, queue, async (trx) => {
    await trx
      .deleteFrom('webhook_endpoint')
      .where('queue_id', '=', queue.id)
      .where('id', '=', row.id)
      .execute();
  });
  for (;;) {
    const some = await db.query
      .selectFrom('delivery')
      .select('event_id')
      .where('queue_id', '=', queue.id)
      .where('channel', '=', 'webhook')
      .where('target_id', '=', row.id)
      .limit(DELETE_STEP)
      .execute();
    if (some.length === 0) return;
    const eventIds = some.map(({ event_id }) => event_id);
    for (const table of ['delivery_attempt', 'delivery'] as const) {
      await db.query
        .deleteFrom(table)
        .where('queue_id', '=', queue.id)
        .where('channel', '=', 'webhook')
        .where('target_id', '=', row.id)
        .where((e) => db.in(e.ref('event_id'), eventIds))
        .execute();
    }
  }
}

export function sealEndpoint({ vault }: Queue, id: Uint8Array, value: SealedEndpoint): Buffer {
  return vault.seal('endpoint.sealed', id, value);
}

export function openEndpoint({ vault }: Queue, row: Pick<EndpointRow, 'id' | 'sealed'>): SealedEndpoint {
  return vault.open<SealedEndpoint>('endpoint.sealed', row.id, row.sealed);
}

export function viewEndpoint(queue: Queue, row: EndpointRow): EndpointView {
  const { url, description, headers } = openEndpoint(queue, row);
  return {
    id: formatId('whe', row.id),
    waitlistId: queue.waitlist.id,
    environment: queue.environment,
    url,
    description,
    events: row.events === '' ? [] : row.events.split(','),
    headers: Object.keys(headers),
    rateLimit: row.rate_limit,
    enabled: row.disabled_at === null,
    disabledAt: isoTimeOrNull(row.disabled_at),
    disabledReason: row.disabled_reason,
    failingSince: isoTimeOrNull(row.failing_since),
    lastSuccessAt: isoTimeOrNull(row.last_success_at),
    createdAt: isoTime(row.created_at),
  };
}
