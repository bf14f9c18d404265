import { confirmAll } from '../waitlist/entries/confirm-entry.ts';
import { changeQueue, readAndChangeQueue } from '../waitlist/queue/change-queue.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { Queue } from '../waitlist/queue/queue.ts';
import { findMembers } from '../waitlist/referrals/members.ts';
import { addEntries } from '../waitlist/signup/add-entries.ts';
import { prepareCandidate } from '../waitlist/signup/candidate.ts';
import type { Signup } from '../waitlist/signup/signup-input.ts';
import type { Random } from './people.ts';

/** The share of people who confirm their email. */
const CONFIRMED = 0.91;

export interface Arrival {
  signup: Signup;
  at: number;
}

/** Signs people up at the times given. Returns the numbers of those who will confirm their email. */
export async function signUp(
  context: Context,
  queue: Queue,
  arrivals: readonly Arrival[],
  random: Random,
): Promise<number[]> {
  if (arrivals.length === 0) return [];
  const candidates = arrivals.map(({ signup, at }) => ({
    ...prepareCandidate(queue, signup, at),
    joinedAt: at,
  }));
  return readAndChangeQueue(
    context,
    queue,
    (trx) => findMembers(trx, queue, candidates),
    (change, members) => {
      addEntries(change, members, candidates);
      const seqs = candidates.flatMap((candidate) => members.holder(candidate)?.seq ?? []);
      return seqs.filter(() => random() < CONFIRMED);
    },
  );
}

export async function confirm(context: Context, queue: Queue, seqs: readonly number[]): Promise<void> {
  if (seqs.length === 0) return;
  await changeQueue(context, queue, async (change) => {
    const pending = await change.trx
      .selectFrom('entry')
      .select(['seq', 'status', 'rank'])
      .where('queue_id', '=', queue.id)
      .where('status', '=', 'pending')
      .where((e) => context.db.in(e.ref('seq'), seqs))
      .orderBy('seq')
      .execute();
    await confirmAll(change, pending, undefined);
  });
}
