import { sql } from 'kysely';
import { advanceJob, finishJob, type JobKind, readProgress } from '../jobs/jobs.ts';
import { changeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import { nextPlace } from '../queue/place.ts';
import type { Queue } from '../queue/queue.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { closePlaces } from './close-places.ts';
import { rankInSql, rankWithin } from './rank.ts';

/** Joining sequences per transaction: a few milliseconds, so that signups do not wait long. */
const CHUNK = 2_000;

/**
 * Brings the ranks of a queue up to date, in steps: closes up places of those who never joined, and applies the
 * waitlist's boost. Progress is stored in the queue's row, so it can stop anywhere and continue. Entries credited
 * meanwhile get the new boost at once.
 */
export async function rerank(
  context: Context,
  queue: Queue,
  onProgress: (seq: number, lastSeq: number) => void = () => {},
): Promise<void> {
  for (;;) {
    const at = await changeQueue(context, queue, rerankStep);
    if (at === null) return;
    onProgress(at.upTo, at.lastSeq);
  }
}

export const RERANK_KIND = 'rerank';

/**
 * Shows the progress to operators. Upkeep reranks, too, so a job that was cancelled does not leave half of the queue
 * with the old boost.
 */
export const rerankJob: JobKind = {
  kind: RERANK_KIND,
  run: async (context, queue, { lease }) => {
    for (let working = true; working; ) {
      working = await changeQueue(context, queue, async (change) => {
        await readProgress(change.trx, queue, lease);
        const at = await rerankStep(change);
        const { lastSeq: total } = change;
        if (at) advanceJob(change, lease, null, { done: at.upTo, total });
        else finishJob(change, lease, null, { done: total, total });
        return at !== null;
      });
    }
  },
};

/** Returns how far it came, or null if nothing is left to do. */
export async function rerankStep(change: QueueChange): Promise<{ upTo: number; lastSeq: number } | null> {
  const { trx, queue, lastSeq } = change;
  const { close_after, rerank_after } = await trx
    .selectFrom('queue_state')
    .select(['close_after', 'rerank_after'])
    .where('queue_id', '=', queue.id)
    .executeTakeFirstOrThrow();
  if (close_after !== null) {
    const { upTo, isLast } = await closePlaces(change, close_after);
    return isLast && rerank_after === null ? null : { upTo, lastSeq };
  }
  if (rerank_after === null) return null;
  const upTo = await applyBoost(change, rerank_after);
  return upTo < lastSeq ? { upTo, lastSeq } : null;
}

async function applyBoost(change: QueueChange, after: number): Promise<number> {
  const { trx, queue, lastSeq, settings, tally } = change;
  const upTo = after + CHUNK;
  const misranked = await trx
    .selectFrom('entry')
    .select(['seq', 'closed', 'opened', 'status', 'rank', 'referrals', 'advanced', 'moved'])
    .where('queue_id', '=', queue.id)
    .where('seq', '>', after)
    .where('seq', '<=', upTo)
    .where((e) =>
      e.or([
        e('rank', '<>', rankInSql(settings.boost)),
        e.and([e('moved', '>', sql.lit(0)), e('rank', '>=', nextPlace(change))]),
      ]),
    )
    .execute();
  const rows = misranked.map((entry) => {
    const better = rankWithin(change, entry);
    tally.leave(entry.status, entry.rank);
    tally.enter(entry.status, better.rank);
    return { queue_id: queue.id, seq: entry.seq, ...better };
  });
  trx.update('entry', { key: ['queue_id', 'seq'] }, rows);
  const next = upTo >= lastSeq ? null : upTo;
  await trx.updateTable('queue_state').set({ rerank_after: next }).where('queue_id', '=', queue.id).execute();
  return upTo;
}
