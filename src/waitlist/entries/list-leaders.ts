import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import { findLeaders } from '../referrals/leaderboard.ts';
import { type Entry, openEntries } from './entry.ts';

export async function leaderboard(context: Context, queue: Queue, limit: number): Promise<Entry[]> {
  return openEntries(context, queue, await findLeaders(context, queue, limit));
}
