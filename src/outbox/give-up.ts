import type { Database, Trx } from '../db/database.ts';
import { bytesKey } from '../lib/bytes-key.ts';
import type { Target } from './target.ts';

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
