import { sql } from 'kysely';
import { sharedNow } from '../db/shared-clock.ts';
import { formatId } from '../lib/ids.ts';
import { DAY_MS } from '../lib/time.ts';
import { HEALTH_COUNT_MAX } from '../outbox/delivery-health.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { Queue } from '../waitlist/queue/queue.ts';
import { withQueues } from '../waitlist/queue/readable.ts';
import { ageInWords, type Finding, OLDEST_LIMIT_MS } from '../waitlist/upkeep/health.ts';
import {
  ANSWERED_GONE,
  BY_OPERATOR,
  type Endpoint,
  type EndpointRow,
  failedLately,
  originOf,
  readEndpoint,
} from './endpoints.ts';

const SHOWN_MAX = 20;
/** By now, its owner has not noticed, and the first deliveries will soon be given up. */
const LONG_MS = DAY_MS;

export interface EndpointFinding extends Finding {
  endpoint: { id: string; waitlistId: string; environment: string };
}

interface FailingEndpoint
  extends Pick<Endpoint, 'id' | 'waitlistId' | 'environment' | 'disabledReason' | 'failingSince'> {
  /** The origin of its URL. */
  name: string;
  /** Deliveries that were given up lately. */
  failed: number;
}

/** One for each that was disabled, has been failing as long as a delivery may be old, or lost deliveries lately. */
export async function checkEndpoints(context: Context): Promise<EndpointFinding[]> {
  const now = await sharedNow(context);
  const endpoints = await listFailing(context, now);
  return endpoints.map((endpoint) => {
    const { id, waitlistId, environment } = endpoint;
    const query = environment === 'production' ? '' : `?environment=${environment}`;
    return {
      what: 'webhook endpoint',
      ...judge(endpoint, now),
      link: `/waitlists/${waitlistId}/webhooks/${id}${query}`,
      endpoint: { id, waitlistId, environment },
    };
  });
}

function judge(
  { name, disabledReason, failingSince, failed }: FailingEndpoint,
  now: number,
): Omit<Finding, 'what'> {
  const count = `${failed === HEALTH_COUNT_MAX ? 'at least ' : ''}${failed}`;
  const lost =
    failed === 0 ? '' : `${count} ${failed === 1 ? 'delivery' : 'deliveries'} of the last 7 days failed`;
  if (disabledReason !== null)
    return {
      ok: disabledReason === ANSWERED_GONE,
      level: disabledReason === ANSWERED_GONE ? 'warning' : 'problem',
      detail: `${name} was disabled: ${disabledReason}. Its deliveries are held`,
    };
  const failingMs = failingSince === null ? 0 : now - failingSince;
  if (failingMs < OLDEST_LIMIT_MS) return { ok: true, level: 'warning', detail: `${name}: ${lost}` };
  return {
    ok: false,
    level: failingMs < LONG_MS ? 'warning' : 'problem',
    detail: `${name} has been failing for ${ageInWords(failingMs)}${lost && `, and ${lost}`}`,
  };
}

async function listFailing(context: Context, now: number): Promise<FailingEndpoint[]> {
  const { rows } = await sql<EndpointRow & { failed: number }>`select * from (
    select w.*, ${failedLately(now)} as failed from webhook_endpoint as w
    ) as e where (e.disabled_at is null and (e.failing_since <= ${now - OLDEST_LIMIT_MS} or e.failed > 0))
      or e.disabled_reason <> ${BY_OPERATOR}
    order by e.failing_since limit ${SHOWN_MAX}`.execute(context.db.query);
  const found = await withQueues(context, rows);
  return found.map(({ queue, row }) => ({
    id: formatId('whe', row.id),
    waitlistId: queue.waitlist.id,
    environment: queue.environment,
    name: nameOf(queue, row),
    disabledReason: row.disabled_reason,
    failingSince: row.failing_since,
    failed: Number(row.failed),
  }));
}

/** A damaged row must not hide what else is wrong. */
function nameOf(queue: Queue, row: EndpointRow): string {
  const { id, url } = readEndpoint(queue, row);
  return url === null ? `${id} (its URL cannot be decrypted)` : originOf(url);
}
