import type { Database, Trx } from '../db/database.ts';
import { sharedNow } from '../db/shared-clock.ts';
import { bytesKey } from '../lib/ids.ts';
import type { Clock } from '../lib/time.ts';
import type { WakeUps } from './message.ts';
import type { Target } from './target.ts';

interface Parts {
  readonly db: Database;
  readonly clock: Clock;
  readonly wakeUps: WakeUps;
}

/**
 * Makes deliveries due now in a transaction of its own, and returns how many. `record` runs at its end, if
 * anything changed.
 */
export async function resendDeliveries(
  parts: Parts,
  target: Target,
  eventIds: readonly Uint8Array[],
  { onlyEnded, record }: { onlyEnded: boolean; record?: ((trx: Trx) => Promise<void>) | undefined },
): Promise<number> {
  if (eventIds.length === 0) return 0;
  const { db, wakeUps } = parts;
  const count = await db.transaction(async (trx) => {
    const updated = await makeDue(db, trx, target, eventIds, { now: await sharedNow(parts, trx), onlyEnded });
    if (updated > 0) await record?.(trx);
    return updated;
  });
  if (count > 0) wakeUps.send([target]);
  return count;
}

/**
 * Makes deliveries due now with a full retry schedule, and returns how many. `onlyEnded` leaves claimed and
 * scheduled deliveries as they are. Without it, an attempt in progress no longer decides the outcome. The
 * caller wakes the target up after the commit.
 */
export async function makeDue(
  db: Database,
  trx: Trx,
  target: Target,
  eventIds: readonly Uint8Array[],
  { now, onlyEnded }: { now: number; onlyEnded: boolean },
): Promise<number> {
  if (eventIds.length === 0) return 0;
  db.lockDeliveries(trx, [target.queueId], 'shared');
  let update = trx
    .updateTable('delivery')
    .set({ due_at: now, tries: 0, token: null, delivered_at: null, failed_at: null })
    .where('queue_id', '=', target.queueId)
    .where('channel', '=', target.channel)
    .where('target_id', '=', target.id)
    .where((e) => db.in(e.ref('event_id'), eventIds));
  if (onlyEnded) update = update.where('due_at', 'is', null);
  return Number((await update.executeTakeFirst()).numUpdatedRows);
}

interface GivenUp {
  id: Uint8Array;
  /** In our own words: nothing was tried. */
  error: string;
}

/** Records for deliveries that have ended that they failed after all, and why. Others stay as they are. */
export async function giveUp(
  db: Database,
  trx: Trx,
  { queueId, channel, id: targetId }: Target,
  given: readonly GivenUp[],
  now: number,
): Promise<void> {
  if (given.length === 0) return;
  db.lockDeliveries(trx, [queueId], 'shared');
  const ended = await trx
    .updateTable('delivery')
    .set((e) => ({ failed_at: now, delivered_at: null, attempts: e('attempts', '+', 1) }))
    .where('queue_id', '=', queueId)
    .where('channel', '=', channel)
    .where('target_id', '=', targetId)
    .where('due_at', 'is', null)
    .where((e) =>
      db.in(
        e.ref('event_id'),
        given.map(({ id }) => id),
      ),
    )
    .returning(['event_id', 'attempts'])
    .execute();
  const errors = new Map(given.map(({ id, error }) => [bytesKey(id), error]));
  const attempts = ended.map(({ event_id, attempts }) => ({
    ...{ queue_id: queueId, channel, target_id: targetId, event_id, attempt: attempts },
    ...{
      at: now,
      duration_ms: 0,
      status: null,
      error: errors.get(bytesKey(event_id)) ?? null,
      response: null,
    },
  }));
  if (attempts.length > 0) trx.insert('delivery_attempt', attempts);
}
