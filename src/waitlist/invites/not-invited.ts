import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import type { RunResult } from './invite-run.ts';

/** Entries that a run of invites left out, by reason. */
export interface NotInvited {
  withoutEmail: number;
  unreadable: number;
  /** By someone else, or earlier. */
  alreadyInvited: number;
  pending: number;
}

/** Explains why a run invited fewer people than requested, based on the current state of the queue. */
export async function whyNotInvited(
  { db }: Context,
  queue: Queue,
  { invited, unreadable }: RunResult,
): Promise<NotInvited> {
  const counters = await db.query
    .selectFrom('queue_state')
    .select(['invited', 'pending'])
    .where('queue_id', '=', queue.id)
    .executeTakeFirstOrThrow();
  const { count } = await db.query
    .selectFrom('entry')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('queue_id', '=', queue.id)
    .where('status', '=', 'waiting')
    .where('email_hash', 'is', null)
    .executeTakeFirstOrThrow();
  return {
    withoutEmail: Number(count),
    unreadable: unreadable.length,
    alreadyInvited: Math.max(0, counters.invited - invited),
    pending: counters.pending,
  };
}
