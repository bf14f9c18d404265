import type { Trx } from '../../db/database.ts';
import { DAY_MS } from '../../lib/time.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import type { QueueChange } from '../queue/queue-change.ts';

/** A mailbox that is full for a day comes back; one that refuses mail again and again does not. */
const MOST_DAYS = 3;
const WINDOW_DAYS = 14;

/**
 * Notes that emails to these addresses were refused for the time being. Counts days, so that a report that is
 * sent twice, or for each attempt, counts once. Returns the addresses that it happened to too often.
 */
export async function noteSoftBounces(
  { db }: Context,
  { trx, queue, now }: QueueChange,
  emailHashes: readonly Uint8Array[],
): Promise<Uint8Array[]> {
  if (emailHashes.length === 0) return [];
  const day = Math.floor(now / DAY_MS);
  await trx
    .insertInto('mail_soft_bounce')
    .values(emailHashes.map((email_hash) => ({ queue_id: queue.id, email_hash, day })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  // Of everyone, so that no more than those of the window are kept.
  await trx
    .deleteFrom('mail_soft_bounce')
    .where('queue_id', '=', queue.id)
    .where('day', '<=', day - WINDOW_DAYS)
    .execute();
  const rows = await trx
    .selectFrom('mail_soft_bounce')
    .select('email_hash')
    .where('queue_id', '=', queue.id)
    .where((e) => db.in(e.ref('email_hash'), emailHashes))
    .groupBy('email_hash')
    .having((e) => e.fn.countAll(), '>=', MOST_DAYS)
    .execute();
  return rows.map(({ email_hash }) => email_hash);
}

export async function forgetSoftBounces(trx: Trx, queue: Queue, emailHash: Uint8Array): Promise<void> {
  await trx
    .deleteFrom('mail_soft_bounce')
    .where('queue_id', '=', queue.id)
    .where('email_hash', '=', emailHash)
    .execute();
}
