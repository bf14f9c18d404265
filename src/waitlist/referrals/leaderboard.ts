import { type EntryView, viewEntries } from '../entries/entry-view.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/directory.ts';
import { findBySeqs } from '../queue/entry-rows.ts';

export const LEADERBOARD_MAX = 1_000;

/** Who has referred the most, the earlier joiner first among equals. */
export async function leaderboard(context: Context, queue: Queue, limit: number): Promise<EntryView[]> {
  const { db } = context;
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
  const rows = await findBySeqs.read(db, { queueId: queue.id, seqs: db.numbersList(seqs) });
  const place = new Map(seqs.map((seq, index) => [seq, index]));
  rows.sort((a, b) => (place.get(a.seq) ?? 0) - (place.get(b.seq) ?? 0));
  return viewEntries(context, queue, rows);
}
