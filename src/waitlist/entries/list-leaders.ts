import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/directory.ts';
import { findLeaders } from '../referrals/leaderboard.ts';
import { type EntryView, viewEntries } from './entry-view.ts';

export async function leaderboard(context: Context, queue: Queue, limit: number): Promise<EntryView[]> {
  return viewEntries(context, queue, await findLeaders(context, queue, limit));
}
