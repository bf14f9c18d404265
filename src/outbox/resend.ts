import type { Clock } from '../clock.ts';
import type { Database, Trx } from '../db/database.ts';
import { sharedNow } from '../db/shared-clock.ts';
import type { Target } from './target.ts';
import type { WakeUps } from './wake-up.ts';

interface Parts {
  readonly db: Database;
  readonly clock: Clock;
  readonly wakeUps: WakeUps;
}

/**
 * Makes deliveries due now with a full retry schedule, and returns how many. `onlyEnded` leaves claimed and
 * scheduled deliveries as they are. Without it, an attempt in progress no longer decides the outcome. `record`
 * runs at the end of the transaction, if anything changed.
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
    db.lockDeliveries(trx, [target.queueId], 'shared');
    const due_at = await sharedNow(parts, trx);
    let update = trx
      .updateTable('delivery')
      .set({ due_at, tries: 0, token: null, delivered_at: null, failed_at: null })
      .where('queue_id', '=', target.queueId)
      .where('channel', '=', target.channel)
      .where('target_id', '=', target.id)
      .where((e) => db.in(e.ref('event_id'), eventIds));
    if (onlyEnded) update = update.where('due_at', 'is', null);
    const updated = Number((await update.executeTakeFirst()).numUpdatedRows);
    if (updated > 0) await record?.(trx);
    return updated;
  });
  if (count > 0) wakeUps.send([target]);
  return count;
}
