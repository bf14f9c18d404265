import { conflict, notFound } from '../../lib/errors.ts';
import { parseId } from '../../lib/ids.ts';
import { DAY_MS } from '../../lib/time.ts';
import { changeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { creditReferrersOf } from '../referrals/credits.ts';
import { rankWithin } from '../referrals/rank.ts';
import { countReferrals } from '../referrals/recount.ts';
import { creditAsReviewed } from '../referrals/reviews.ts';

const DAYS = 30;

/**
 * Takes a removal back: the entry has its place in the joining order again, and its referrer the credit. Invites stay
 * revoked, because their codes never become live again. So the status is the one that the entry had once they were
 * revoked: somebody who was invited is waiting.
 */
export async function putBack(context: Context, queue: Queue, entryId: string): Promise<void> {
  await changeQueue(context, queue, async (change) => {
    const { trx, tally } = change;
    const { rank: before, removedAt, status, ...entry } = await findRemoved(change, entryId);
    const { seq } = entry;
    // Those it referred may have left meanwhile: credits are not taken from a removed entry.
    const referrals = await countReferrals(trx, queue, seq);
    const { rank, moved } = rankWithin(change, { ...entry, referrals });
    const back = { status, rank, moved, referrals, removed_at: null, removed_from: null };
    trx.update('entry', { key: ['queue_id', 'seq'] }, [{ queue_id: queue.id, seq, ...back }]);
    tally.leave('removed', before);
    tally.enter(status, rank);
    tally.slots.add('removed', removedAt, -1);
    if (status !== 'pending') await creditReferrersOf(change, [{ seq }], status);
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
      .select(['seq', 'closed', 'opened', 'moved', 'status', 'rank', 'person'])
      .select(['removed_at', 'removed_from'])
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
