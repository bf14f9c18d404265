import type { Context } from '../waitlist/queue/context.ts';
import { type Endpoint, readEndpoint } from './endpoints.ts';

const SHOWN_MAX = 20;

/** Enabled endpoints that have only failed since then or longer, the longest first. */
export async function listFailingEndpoints(
  { db, directory }: Context,
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
      const queue = await directory.queueById(row.queue_id);
      return queue ? [{ ...readEndpoint(queue, row), failingSince: row.failing_since ?? since }] : [];
    }),
  );
  return found.flat();
}
