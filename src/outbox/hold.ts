import { sql } from 'kysely';
import type { Database } from '../db/database.ts';
import { sharedNow } from '../db/shared-clock.ts';
import type { Clock } from '../lib/time.ts';
import type { WakeUps } from './message.ts';
import type { Target } from './target.ts';

/** Keeps each transaction short. */
const STEP = 500;

/**
 * A held delivery is due later, and nobody has claimed it: a retry keeps the token of its last claim. It has used
 * up no attempt, and nothing is logged, however long it waits.
 */
const HELD = sql<boolean>`token is null`;

export function isHeld(delivery: { token: Uint8Array | null; due_at: number | null }, now: number): boolean {
  return delivery.token === null && delivery.due_at !== null && delivery.due_at > now;
}

function selectHeld({ query }: Pick<Database, 'query'>, { queueId, channel, id }: Target, now: number) {
  return query
    .selectFrom('delivery')
    .select('event_id')
    .where('queue_id', '=', queueId)
    .where('channel', '=', channel)
    .where('target_id', '=', id)
    .where('due_at', '>', now)
    .where(HELD);
}

/** How many deliveries of a target are held, up to a number. */
export async function countHeld(db: Database, target: Target, now: number, most: number): Promise<number> {
  const { count } = await db.query
    .selectFrom(selectHeld(db, target, now).limit(most).as('held'))
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Makes held deliveries due. If that ends early, they are due at the time until which they were held. */
export async function releaseHeld(
  parts: { readonly db: Database; readonly clock: Clock; readonly wakeUps: WakeUps },
  target: Target,
): Promise<void> {
  const { db, wakeUps } = parts;
  for (let released = STEP; released === STEP; ) {
    released = await db.transaction(async (trx) => {
      db.lockDeliveries(trx, [target.queueId], 'shared');
      const now = await sharedNow(parts, trx);
      const held = await selectHeld({ query: trx }, target, now).limit(STEP).execute();
      if (held.length === 0) return 0;
      const ids = held.map(({ event_id }) => event_id);
      await trx
        .updateTable('delivery')
        .set({ due_at: now })
        .where('queue_id', '=', target.queueId)
        .where('channel', '=', target.channel)
        .where('target_id', '=', target.id)
        .where((e) => db.in(e.ref('event_id'), ids))
        .where('due_at', '>', now)
        .where(HELD)
        .execute();
      return held.length;
    });
    wakeUps.send([target]);
  }
}
