import { conflict, notFound } from '../../lib/errors.ts';
import { parseId } from '../../lib/ids.ts';
import { DAY_MS } from '../../lib/time.ts';
import { returnPlaces, takePlacesAgain } from '../codes/places.ts';
import { standingOf } from '../entries/move-entry.ts';
import { changeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { creditReferrersOf, withdrawCreditFor } from '../referrals/credits.ts';
import { countReferrals, rankWithin } from '../referrals/rank.ts';
import { creditAsReviewed } from '../referrals/reviews.ts';
import { endInvitesOf } from './end-invites.ts';

/**
 * Takes an entry off the waitlist and keeps its data: it shows as `removed`, its open invites end, and
 * the same person cannot sign up again until the entry is erased. `restoreEntry` takes it back.
 */
export async function removeEntry(context: Context, queue: Queue, entryId: string): Promise<void> {
  await changeQueue(context, queue, async (change) => {
    const { trx, now, tally } = change;
    const { email_hash } = await findRow(change, entryId);
    if (email_hash) await endInvitesOf(context, change, [email_hash]);
    const entry = await findRow(change, entryId); // It may be back in the queue by now.
    await withdrawCreditFor(change, entry);
    await returnPlaces(change, { first_seq: entry.seq, last_seq: entry.seq });
    const removed = { status: 'removed', removed_at: now, removed_from: entry.status, credited: 0 } as const;
    trx.update('entry', { key: ['queue_id', 'seq'] }, [{ queue_id: queue.id, seq: entry.seq, ...removed }]);
    tally.leave(entry.status, entry.rank);
    tally.enter('removed', entry.rank);
    tally.slots.add('removed', now);
    change.record({ kind: 'entry.removed', entry: entry.seq });
    await context.audit?.(trx, { action: 'entry.removed', object: { kind: 'entry', id: entryId } });
  });
}

async function findRow({ trx, queue }: QueueChange, entryId: string) {
  const id = parseId('ent', entryId);
  const row =
    id &&
    (await trx
      .selectFrom('entry')
      .select(['seq', 'status', 'rank', 'email_hash', 'referrer_seq', 'credited'])
      .where('queue_id', '=', queue.id)
      .where('id', '=', id)
      .executeTakeFirst());
  if (!row || row.status === 'removed') throw notFound(`there is no entry ${entryId}`);
  return row;
}

const DAYS = 30;

/**
 * Takes a removal back: the entry has its place in the joining order again, and its referrer the credit. Invites stay
 * revoked, because their codes never become live again. So the status is the one that the entry had once they were
 * revoked: somebody who was invited is waiting.
 */
export async function restoreEntry(context: Context, queue: Queue, entryId: string): Promise<void> {
  await changeQueue(context, queue, async (change) => {
    const { trx, tally } = change;
    const { rank: before, removedAt, status, declined_from, ...entry } = await findRemoved(change, entryId);
    const { seq } = entry;
    await takePlacesAgain(change, seq);
    // Those it referred may have left meanwhile: credits are not taken from a removed entry.
    const referrals = await countReferrals(trx, queue, seq);
    const { rank, moved } = rankWithin(change, { ...entry, referrals });
    const back = { status, rank, moved, referrals, removed_at: null, removed_from: null };
    trx.update('entry', { key: ['queue_id', 'seq'] }, [{ queue_id: queue.id, seq, ...back }]);
    tally.leave('removed', before);
    tally.enter(status, rank);
    tally.slots.add('removed', removedAt, -1);
    const standing = standingOf({ status, declined_from });
    if (standing !== 'pending') await creditReferrersOf(change, [{ seq }], standing);
    await creditAsReviewed(change, seq);
    change.record({ kind: 'entry.restored', entry: seq });
    await context.audit?.(trx, { action: 'entry.restored', object: { kind: 'entry', id: entryId } });
  });
}

async function findRemoved({ trx, queue, now }: QueueChange, entryId: string) {
  const id = parseId('ent', entryId);
  const row =
    id &&
    (await trx
      .selectFrom('entry')
      .select(['seq', 'closed', 'opened', 'advanced', 'moved', 'status', 'rank', 'person'])
      .select(['removed_at', 'removed_from', 'declined_from'])
      .where('queue_id', '=', queue.id)
      .where('id', '=', id)
      .executeTakeFirst());
  if (!row) throw notFound(`there is no entry ${entryId}`);
  const { removed_at: removedAt, removed_from: status } = row;
  if (row.status !== 'removed' || removedAt === null) throw conflict('this entry is not removed');
  if (!row.person) throw conflict('this entry was erased: nothing is left to put back');
  if (!status || now - removedAt > DAYS * DAY_MS)
    throw conflict(`this entry was removed more than ${DAYS} days ago`);
  return { ...row, removedAt, status };
}
