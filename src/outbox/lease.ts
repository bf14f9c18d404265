import { sql } from 'kysely';
import type { Database, Trx } from '../db/database.ts';
import type { Delivery } from './delivery.ts';

type Claimed = Pick<Delivery, 'target' | 'eventId' | 'token'>;

/** Keeps other processes from claiming a delivery during a long attempt. */
export async function extendLease(
  { query }: Database,
  { target, eventId, token }: Claimed,
  until: number,
): Promise<void> {
  await query
    .updateTable('delivery')
    .set({ due_at: until })
    .where('queue_id', '=', target.queueId)
    .where('channel', '=', target.channel)
    .where('target_id', '=', target.id)
    .where('event_id', '=', eventId)
    .where('token', '=', token)
    .execute();
}

/** Releases claimed deliveries of one target that were never attempted. */
export async function giveBack(trx: Trx, claimed: readonly Claimed[], now: number): Promise<void> {
  for (const [token, some] of Map.groupBy(claimed, (one) => one.token)) {
    const [{ target }] = some as [Claimed];
    const eventIds = some.map(({ eventId }) => eventId);
    await trx
      .updateTable('delivery')
      .set({ due_at: now, token: null, tries: sql`tries - 1`, attempts: sql`attempts - 1` })
      .where('queue_id', '=', target.queueId)
      .where('channel', '=', target.channel)
      .where('target_id', '=', target.id)
      .where('event_id', 'in', eventIds)
      .where('token', '=', token)
      .execute();
  }
}
