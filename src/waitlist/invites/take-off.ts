import { notFound } from '../../lib/errors.ts';
import { parseId } from '../../lib/ids.ts';
import { changeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { takeCreditBack } from '../referrals/credits.ts';
import { endInvitesOf } from './end-invites.ts';

/**
 * Takes an entry off the waitlist and keeps its data: it shows as `removed`, its open invites end, and
 * the same person cannot sign up again until the entry is erased. `putBack` takes it back.
 */
export async function takeOff(context: Context, queue: Queue, entryId: string): Promise<void> {
  await changeQueue(context, queue, async (change) => {
    const { trx, now, tally } = change;
    const { email_hash } = await findRow(change, entryId);
    if (email_hash) await endInvitesOf(context, change, email_hash);
    const entry = await findRow(change, entryId); // It may be back in the queue by now.
    await takeCreditBack(change, entry);
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
