import { notFound } from '../../errors.ts';
import type { Context } from '../context.ts';
import type { Queue } from '../directory.ts';
import { parseId } from '../ids.ts';
import { changeQueue, type QueueChange } from '../queue-change.ts';
import { writeCredits } from '../signup/add-entries.ts';
import { findMembers } from '../signup/register.ts';
import { moveEntries } from './move-entry.ts';

/** A pending entry's email is confirmed: it joins the queue, and its referrer gets the credit. Again: nothing happens. */
export function confirmEntry(
  context: Context,
  queue: Queue,
  entryId: string,
): Promise<{ confirmed: boolean }> {
  const id = parseId('ent', entryId);
  if (!id) throw notFound(`there is no entry ${entryId}`);
  return changeQueue(context, queue, async (change) => {
    const entry = await change.trx
      .selectFrom('entry')
      .select(['seq', 'status', 'rank'])
      .where('queue_id', '=', queue.id)
      .where('id', '=', id)
      .executeTakeFirst();
    if (!entry || entry.status === 'removed') throw notFound(`there is no entry ${entryId}`);
    if (entry.status !== 'pending') return { confirmed: false };
    moveEntries(context, change, [entry], 'waiting');
    change.record({ kind: 'signup.confirmed', entry: entry.seq });
    await creditReferrerOf(context, change, entry.seq);
    return { confirmed: true };
  });
}

/** Gives the credit that waited for the entry to leave `pending`. */
export async function creditReferrerOf(context: Context, change: QueueChange, seq: number): Promise<void> {
  const { trx, queue, settings } = change;
  const referred = await trx
    .selectFrom('entry')
    .select(['id', 'referrer_seq', 'credited'])
    .where('queue_id', '=', queue.id)
    .where('seq', '=', seq)
    .executeTakeFirstOrThrow();
  if (referred.referrer_seq === null || referred.credited === 1) return;
  const reference = { emailHash: null, phoneHash: null, referrer: { seq: referred.referrer_seq } };
  const register = await findMembers(context, trx, queue, [reference]);
  const referrer = register.known.get(referred.referrer_seq);
  if (!referrer || referrer.referrals >= settings.referralCap) return;
  referrer.gained = 1;
  writeCredits(context, change, register);
  await trx
    .updateTable('entry')
    .set({ credited: 1 })
    .where('queue_id', '=', queue.id)
    .where('seq', '=', seq)
    .execute();
  change.record({ kind: 'referral.credited', entry: referrer.seq, referred: referred.id });
}
