import { advanceJob, finishJob, type JobKind, readProgress } from '../jobs/jobs.ts';
import { changeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { rankInSql, rankOf } from './rank.ts';

/** Joining sequences per transaction: a few milliseconds, so that signups do not wait long. */
const CHUNK = 2_000;
/**
 * Applies the waitlist's boost to a queue's ranks, in steps. Progress is stored in the queue's row, so it can
 * stop anywhere and continue. Entries credited meanwhile get the new boost at once.
 */
export async function applyBoost(
  context: Context,
  queue: Queue,
  onProgress: (seq: number, lastSeq: number) => void = () => {},
): Promise<void> {
  for (;;) {
    const at = await changeQueue(context, queue, applyStep);
    if (at === null) return;
    onProgress(at.upTo, at.lastSeq);
  }
}

export const RERANK_KIND = 'rerank';

/**
 * Shows the progress to operators. Upkeep applies a boost, too, so a job that was cancelled does not leave
 * half of the queue with the old one.
 */
export const rerankJob: JobKind = {
  kind: RERANK_KIND,
  run: async (context, queue, { lease }) => {
    for (let working = true; working; ) {
      working = await changeQueue(context, queue, async (change) => {
        await readProgress(change.trx, queue, lease);
        const at = await applyStep(change);
        const { lastSeq: total } = change;
        if (at) advanceJob(change, lease, null, { done: at.upTo, total });
        else finishJob(change, lease, null, { done: total, total });
        return at !== null;
      });
    }
  },
};

async function applyStep(change: QueueChange): Promise<{ upTo: number; lastSeq: number } | null> {
  const { trx, queue, lastSeq, settings, tally } = change;
  const row = await trx
    .selectFrom('queue_state')
    .select('rerank_after')
    .where('queue_id', '=', queue.id)
    .executeTakeFirstOrThrow();
  if (row.rerank_after === null) return null;
  const upTo = row.rerank_after + CHUNK;
  const misranked = await trx
    .selectFrom('entry')
    .select(['seq', 'status', 'rank', 'referrals', 'moved'])
    .where('queue_id', '=', queue.id)
    .where('seq', '>', row.rerank_after)
    .where('seq', '<=', upTo)
    .where('rank', '<>', rankInSql(settings.boost))
    .execute();
  const rows = misranked.map(({ seq, status, rank, referrals, moved }) => {
    const better = rankOf(seq, settings.boost, referrals, moved);
    tally.leave(status, rank);
    tally.enter(status, better);
    return { queue_id: queue.id, seq, rank: better };
  });
  trx.update('entry', { key: ['queue_id', 'seq'] }, rows);
  const next = upTo >= lastSeq ? null : upTo;
  await trx.updateTable('queue_state').set({ rerank_after: next }).where('queue_id', '=', queue.id).execute();
  return next === null ? null : { upTo, lastSeq };
}
