import type { Context } from '../waitlist/queue/context.ts';
import { ageInWords, type Finding } from '../waitlist/upkeep/health.ts';
import { OLDEST_LIMIT_MS } from '../waitlist/upkeep/watch.ts';
import { type Endpoint, readEndpoint } from './endpoints.ts';

const SHOWN_MAX = 20;

export interface EndpointFinding extends Finding {
  endpoint: { id: string; waitlistId: string; environment: string };
}

/** One for each that has been failing as long as a delivery may be old: a few failures worry nobody. */
export async function checkEndpoints(context: Context): Promise<EndpointFinding[]> {
  const now = context.clock();
  const endpoints = await listFailingEndpoints(context, now - OLDEST_LIMIT_MS);
  return endpoints.map(({ id, waitlistId, environment, url, failingSince }) => ({
    what: 'webhook endpoint',
    ok: false,
    detail: `${url} has been failing for ${ageInWords(now - failingSince)}`,
    endpoint: { id, waitlistId, environment },
  }));
}

/** Enabled endpoints that have only failed since then or longer, the longest first. */
async function listFailingEndpoints(
  { db, registry }: Context,
  since: number,
): Promise<(Endpoint & { failingSince: number })[]> {
  const rows = await db.query
    .selectFrom('webhook_endpoint')
    .selectAll()
    .where('failing_since', '<=', since)
    .where('disabled_at', 'is', null)
    .orderBy('failing_since')
    .limit(SHOWN_MAX)
    .execute();
  const found = await Promise.all(
    rows.map(async (row) => {
      const queue = await registry.queueById(row.queue_id);
      return queue ? [{ ...readEndpoint(queue, row), failingSince: row.failing_since ?? since }] : [];
    }),
  );
  return found.flat();
}
