import { type RawBuilder, sql } from 'kysely';
import type { Dialect } from '../../db/dialect.ts';
import { releaseHeld } from '../../outbox/hold.ts';
import { changeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { pauseWaves, resumeWaves } from '../waves/change-waves.ts';
import { readRates, whyTooMany } from './rates.ts';
import { isPaused, mailTarget, readSending, writeSending } from './state.ts';

/** How often to look whether a pause can end. */
const REVIEW_EVERY_MS = 60_000;

/** Pauses emails if too many bounced or were reported, and ends the pause when that is over. */
export async function reviewSending(context: Context, queue: Queue): Promise<void> {
  const ended = await changeQueue(context, queue, (change) => review(context, change));
  if (ended) await releaseHeld(context, mailTarget(queue.id));
}

/** The same in a change that is under way. If it returns true, the caller releases what was held after the commit. */
export async function review(context: Context, change: QueueChange): Promise<boolean> {
  const { trx, queue, now } = change;
  const state = await readSending(trx, queue);
  const reason = whyTooMany(await readRates(trx, queue, state, now), state);
  if (reason === undefined) {
    if (!isPaused(state)) return false;
    await endPause(context, change);
    return true;
  }
  const review_at = now + REVIEW_EVERY_MS;
  if (isPaused(state)) {
    await writeSending(trx, queue, { pause_reason: reason, review_at });
    return false;
  }
  await writeSending(trx, queue, { paused_at: now, resumed_at: null, pause_reason: reason, review_at });
  await pauseWaves(change, reason);
  return false;
}

export async function endPause(context: Context, change: QueueChange): Promise<void> {
  const { trx, queue, now } = change;
  await writeSending(trx, queue, { resumed_at: now, pause_reason: null, review_at: null });
  await resumeWaves(context, change);
}

export function firstReviewAt(db: Dialect): RawBuilder<{ at: number | null }> {
  return sql`select min(review_at) as at from mail_sending
    where review_at is not null and ${db.reachable(sql.ref('queue_id'))}`;
}

export async function findDueReviews({ db }: Context, now: number, limit: number): Promise<number[]> {
  const rows = await db.query
    .selectFrom('mail_sending')
    .select('queue_id')
    .where('review_at', '<=', now)
    .where((e) => db.reachable(e.ref('queue_id')))
    .orderBy('review_at')
    .limit(limit)
    .execute();
  return rows.map(({ queue_id }) => queue_id);
}
