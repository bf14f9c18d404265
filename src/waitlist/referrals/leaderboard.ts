import type { Context } from '../queue/context.ts';
import { type EntryRow, findBySeqs } from '../queue/entry-rows.ts';
import type { Queue } from '../queue/queue.ts';

export const LEADERBOARD_MAX = 1_000;

/** Most referrals first; ties go to the earlier joiner. */
export async function findLeaders({ db }: Context, queue: Queue, limit: number): Promise<EntryRow[]> {
  const top = await db.query
    .selectFrom('entry')
    .select('seq')
    .where('queue_id', '=', queue.id)
    .where('referrals', '>', 0)
    .where('status', '<>', 'removed')
    .orderBy('referrals', 'desc')
    .orderBy('seq')
    .limit(Math.min(limit, LEADERBOARD_MAX))
    .execute();
  const seqs = top.map(({ seq }) => seq);
  const rows = await db.run(findBySeqs, { queueId: queue.id, seqs });
  const order = new Map(seqs.map((seq, index) => [seq, index]));
  return rows.sort((a, b) => (order.get(a.seq) ?? 0) - (order.get(b.seq) ?? 0));
}
