import type { Database } from '../db/database.ts';
import { oldestId } from '../lib/ids.ts';
import { HOUR_MS } from '../lib/time.ts';
import { onLastAttempt } from '../outbox/read-deliveries.ts';
import type { Target } from '../outbox/target.ts';

const COUNTED_MAX = 10_000;

/**
 * No kept email is newer than this, and undefined means that there is none. Most installations keep emails only until
 * they have a mail server: then nobody has to look through all that were sent since.
 */
export async function newestKept({ query }: Database, target: Target): Promise<Buffer | undefined> {
  const { hour } = await query
    .selectFrom('delivery_stat')
    .select((e) => e.fn.max('hour').as('hour'))
    .where('queue_id', '=', target.queueId)
    .where('channel', '=', target.channel)
    .where('target_id', '=', target.id)
    .where('kept', '>', 0)
    .executeTakeFirstOrThrow();
  // Clocks may differ by up to an hour.
  return hour === null ? undefined : oldestId(hour + 2 * HOUR_MS);
}

/** How many emails of a target are kept. `more`: these, and others. */
export async function countKept(db: Database, target: Target): Promise<{ count: number; more: boolean }> {
  const before = await newestKept(db, target);
  if (!before) return { count: 0, more: false };
  const kept = db.query
    .selectFrom('delivery as d')
    .innerJoin('delivery_attempt as a', onLastAttempt)
    .select('d.event_id')
    .where('d.queue_id', '=', target.queueId)
    .where('d.channel', '=', target.channel)
    .where('d.target_id', '=', target.id)
    .where('d.event_id', '<', before)
    .where('d.due_at', 'is', null)
    .where('d.failed_at', 'is', null)
    .where('a.status', 'is', null)
    .limit(COUNTED_MAX + 1);
  const { count } = await db.query
    .selectFrom(kept.as('kept'))
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return { count: Math.min(Number(count), COUNTED_MAX), more: Number(count) > COUNTED_MAX };
}
