import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database } from '../db/database.ts';
import { sharedNow } from '../db/shared-clock.ts';
import { oldestId } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import { repeat } from '../lib/promises.ts';
import { type Clock, HOUR_MS } from '../lib/time.ts';
import { findTargets } from './target.ts';

const EVERY_MS = HOUR_MS;
/** Keeps each transaction to a few milliseconds, so that other work can run in between. */
const STEP = 500;
const PAUSE_BETWEEN_STEPS_MS = 20;

interface Parts {
  readonly db: Database;
  readonly clock: Clock;
}

interface Pruning {
  stop(): Promise<void>;
}

/** Deletes expired events now and then every hour. Several processes can do this at once. */
export function startPruning(parts: Parts & { log: Log }, keepMs: number): Pruning {
  let stopping = false;
  const prune = async () => {
    try {
      await pruneEvents(parts, keepMs, () => stopping);
    } catch (error) {
      parts.log.warn({ reason: (error as Error).message }, 'could not delete old deliveries: will try again');
    }
  };
  const first = prune();
  const stop = repeat(EVERY_MS, () => first.then(prune));
  return {
    stop: async () => {
      stopping = true;
      await Promise.all([first, stop()]);
    },
  };
}

/** Returns how many events were deleted, each with its deliveries and attempts. */
export async function pruneEvents(
  parts: Parts,
  keepMs: number,
  enough: () => boolean = () => false,
): Promise<number> {
  const before = oldestId((await sharedNow(parts)) - keepMs);
  let pruned = 0;
  for (let queueId = await nextQueue(parts, -1); queueId !== null; ) {
    const count = enough() ? 0 : await pruneStep(parts, queueId, before);
    pruned += count;
    if (enough()) break;
    if (count > 0) await pause(PAUSE_BETWEEN_STEPS_MS);
    if (count < STEP) queueId = await nextQueue(parts, queueId);
  }
  return pruned;
}

async function nextQueue({ db }: Parts, after: number): Promise<number | null> {
  const row = await db.query
    .selectFrom('event')
    .select(sql<number | null>`min(queue_id)`.as('queue_id'))
    .where('queue_id', '>', after)
    .where((e) => db.reachable(e.ref('queue_id')))
    .executeTakeFirst();
  return row?.queue_id ?? null;
}

async function pruneStep({ db }: Parts, queueId: number, before: Buffer): Promise<number> {
  const old = await db.query
    .selectFrom('event')
    .select('id')
    .where('queue_id', '=', queueId)
    .where('id', '<', before)
    .orderBy('id')
    .limit(STEP)
    .execute();
  if (old.length === 0) return 0;
  const ids = old.map(({ id }) => id);
  const upTo = old.at(-1)?.id as Uint8Array;
  await db.transaction(async (trx) => {
    for (const target of await findTargets(trx, queueId)) {
      await trx
        .deleteFrom('delivery')
        .where('queue_id', '=', queueId)
        .where('channel', '=', target.channel)
        .where('target_id', '=', target.id)
        .where('event_id', '<=', upTo)
        .execute();
    }
    for (const table of ['delivery_attempt', 'event_subject'] as const) {
      await trx
        .deleteFrom(table)
        .where('queue_id', '=', queueId)
        .where((e) => db.in(e.ref('event_id'), ids))
        .execute();
    }
    await trx
      .deleteFrom('event')
      .where('queue_id', '=', queueId)
      .where((e) => db.in(e.ref('id'), ids))
      .execute();
  });
  return old.length;
}
