import type { Trx } from '../db/database.ts';
import { notFound } from '../lib/errors.ts';
import { formatId, newIdOf } from '../lib/ids.ts';
import { readRow, rowOf, valuesOf, withDefaults } from '../lib/setting.ts';
import type { AuditEvent } from '../waitlist/queue/audit-trail.ts';
import { changeQueue } from '../waitlist/queue/change-queue.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { Queue } from '../waitlist/queue/queue.ts';
import {
  COLUMN_SETTINGS,
  checkEndpoint,
  ENDPOINT_SETTINGS,
  type EndpointInput,
  SEALED_SETTINGS,
} from './endpoint-settings.ts';
import {
  BY_OPERATOR,
  type Endpoint,
  type EndpointRow,
  findEndpoint,
  originOf,
  readEndpoint,
  requireSettings,
  sealEndpoint,
} from './endpoints.ts';
import type { Guard } from './guard.ts';
import { endpointTarget, subscriptionsOf } from './listener.ts';
import { liveSecrets, newSigningSecret } from './signing.ts';

type CreatedEndpoint = Endpoint & { secret: string };

export async function createEndpoint(
  context: Context,
  guard: Guard,
  queue: Queue,
  given: Partial<EndpointInput> & { url: string },
): Promise<CreatedEndpoint> {
  const settings = withDefaults(ENDPOINT_SETTINGS, given);
  settings.url = await checkEndpoint(guard, settings);
  const now = context.clock();
  const id = newIdOf(queue.id, now);
  const secret = newSigningSecret();
  const row: EndpointRow = {
    queue_id: queue.id,
    id,
    sealed: sealEndpoint(queue, id, { ...valuesOf(SEALED_SETTINGS, settings), secrets: [secret] }),
    ...rowOf(COLUMN_SETTINGS, settings),
    rate_used_until: 0,
    disabled_at: null,
    disabled_reason: null,
    failing_since: null,
    last_success_at: null,
    created_at: now,
    updated_at: now,
  };
  const endpoint = readEndpoint(queue, row);
  await changeEndpoints(context, queue, async (trx) => {
    await trx.insertInto('webhook_endpoint').values(row).execute();
    return { action: 'webhook.created', object: objectOf(id), after: auditedSettings(endpoint) };
  });
  return { ...endpoint, secret: secret.text };
}

/**
 * Every change to endpoints runs in here, so that the queue's subscriptions and the audit trail change in the
 * same transaction.
 */
async function changeEndpoints(
  context: Context,
  queue: Queue,
  work: (trx: Trx, now: number) => Promise<AuditEvent>,
): Promise<void> {
  await changeQueue(context, queue, async ({ trx, now }) => {
    const event = await work(trx, now);
    const endpoints = await trx
      .selectFrom('webhook_endpoint')
      .select('events')
      .where('queue_id', '=', queue.id)
      .execute();
    await trx
      .updateTable('queue_state')
      .set({ listens: subscriptionsOf(endpoints) })
      .where('queue_id', '=', queue.id)
      .execute();
    await context.audit?.(trx, event);
  });
}

type EndpointChanges = Partial<EndpointInput> & { enabled?: boolean };

/** Changes only what is given. */
export async function updateEndpoint(
  context: Context,
  guard: Guard,
  endpointId: string,
  { enabled, ...changes }: EndpointChanges,
): Promise<Endpoint> {
  const { queue, row } = await findEndpoint(context, endpointId);
  if (Object.keys(changes).length > 0) {
    const current = { ...requireSettings(queue, row), ...readRow(COLUMN_SETTINGS, row) };
    const url = await checkEndpoint(guard, { ...current, ...changes });
    if (changes.url !== undefined) changes.url = url;
  } else {
    return enabled === undefined
      ? readEndpoint(queue, row)
      : setEndpointEnabled(context, endpointId, enabled);
  }
  const updated = await changeOne(context, queue, row.id, 'webhook.updated', (found, now) => ({
    ...columnsOf(queue, found, changes, now),
    ...(enabled === undefined ? {} : switched(found, enabled, now)),
  }));
  if (enabled) context.wakeUps.send([endpointTarget(queue.id, row.id)]);
  return updated;
}

export async function setEndpointEnabled(
  context: Context,
  endpointId: string,
  enabled: boolean,
): Promise<Endpoint> {
  const { queue, row } = await findEndpoint(context, endpointId);
  const updated = await changeOne(context, queue, row.id, 'webhook.updated', (found, now) =>
    switched(found, enabled, now),
  );
  if (enabled) context.wakeUps.send([endpointTarget(queue.id, row.id)]);
  return updated;
}

function columnsOf(
  queue: Queue,
  row: EndpointRow,
  changes: Partial<EndpointInput>,
  now: number,
): Partial<EndpointRow> {
  const sealed = requireSettings(queue, row);
  const secrets = liveSecrets(sealed.secrets, now);
  return {
    sealed: sealEndpoint(queue, row.id, { ...sealed, ...valuesOf(SEALED_SETTINGS, changes), secrets }),
    ...rowOf(COLUMN_SETTINGS, changes),
  };
}

/** Deliveries that were held are sent once it is enabled. Disabling again keeps the time and the reason. */
function switched(row: EndpointRow, enabled: boolean, now: number): Partial<EndpointRow> {
  if (enabled) return { disabled_at: null, disabled_reason: null, failing_since: null };
  return row.disabled_at === null ? { disabled_at: now, disabled_reason: BY_OPERATOR } : {};
}

export async function changeOne(
  context: Context,
  queue: Queue,
  id: Uint8Array,
  action: AuditEvent['action'],
  changesOf: (row: EndpointRow, now: number) => Partial<EndpointRow>,
): Promise<Endpoint> {
  let endpoint: Endpoint | undefined;
  await changeEndpoints(context, queue, async (trx, now) => {
    const row = await trx
      .selectFrom('webhook_endpoint')
      .selectAll()
      .where('queue_id', '=', queue.id)
      .where('id', '=', id)
      .executeTakeFirst();
    if (!row) throw notFound('this webhook endpoint has been deleted');
    const changes = { ...changesOf(row, now), updated_at: now };
    await trx
      .updateTable('webhook_endpoint')
      .set(changes)
      .where('queue_id', '=', queue.id)
      .where('id', '=', id)
      .execute();
    endpoint = readEndpoint(queue, { ...row, ...changes });
    const before = auditedSettings(readEndpoint(queue, row));
    return { action, object: objectOf(id), before, after: auditedSettings(endpoint) };
  });
  return endpoint as unknown as Endpoint;
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
    const before = auditedSettings(readEndpoint(queue, row));
    return { action: 'webhook.deleted', object: objectOf(row.id), before };
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

function objectOf(id: Uint8Array): AuditEvent['object'] {
  return { kind: 'webhook', id: formatId('whe', id) };
}

function auditedSettings(endpoint: Endpoint) {
  const { url, ...settings } = valuesOf(ENDPOINT_SETTINGS, endpoint);
  return { origin: url && originOf(url), ...settings, enabled: endpoint.disabledAt === null };
}
