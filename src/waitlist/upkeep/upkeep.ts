import { sharedNow } from '../../db/shared-clock.ts';
import { reportState } from '../../state-log.ts';
import { forgetExpired } from '../forms/forget.ts';
import { expireInvites } from '../invites/end-invites.ts';
import { remindInvited } from '../invites/remind-invited.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/directory.ts';
import { applyBoost } from '../referrals/rerank.ts';
import { findUnsettled, settleQueues } from '../settings/settle-queues.ts';
import { countValues, findUncounted } from '../statistics/count-values.ts';
import { endCancelledJobs, forgetOldJobs } from './job-runner.ts';
import { removeDeleted } from './remove-deleted.ts';
import { watch } from './watch.ts';

const EVERY_MS = 1_000;
const WATCH_EVERY_MS = 60_000;
const REMOVE_EVERY_MS = 5_000;
const QUEUES_AT_ONCE = 100;

/**
 * Periodic work: expires invites, sends reminders, applies a changed boost, counts values of metadata,
 * forgets old jobs, removes what belonged to deleted waitlists, refreshes the database's statistics, and
 * keeps its log small.
 */
export interface Upkeep {
  close(): Promise<void>;
}

export function startUpkeep(context: Context): Upkeep {
  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    running ??= keepUp(context)
      .then(() => reportState(context.log, 'upkeep', 'ok'))
      .catch((error: Error) => reportState(context.log, 'upkeep', 'failing', { reason: error.message }))
      .finally(() => {
        running = undefined;
      });
  }, EVERY_MS);
  let watching: Promise<void> | undefined;
  const watchTimer = setInterval(() => {
    watching = Promise.all([watch(context), forgetExpired(context)]).then(
      () => {},
      (error: Error) => context.log.warn({ reason: error.message }, 'the status check failed'),
    );
  }, WATCH_EVERY_MS);
  let removing: Promise<void> | undefined;
  let closing = false;
  const removeTimer = setInterval(() => {
    // On its own, because millions of rows take a while.
    removing ??= removeDeleted(context, () => closing)
      .then(() => reportState(context.log, 'removal of deleted waitlists', 'ok'))
      .catch((error: Error) =>
        reportState(context.log, 'removal of deleted waitlists', 'failing', { reason: error.message }),
      )
      .finally(() => {
        removing = undefined;
      });
  }, REMOVE_EVERY_MS);
  return {
    close: async () => {
      closing = true;
      clearInterval(timer);
      clearInterval(watchTimer);
      clearInterval(removeTimer);
      await Promise.all([running, watching, removing]);
    },
  };
}

/**
 * One round, for each queue separately, so that a failure affects only one. Several instances can run it at
 * once: each step is a transaction under the queue's lock.
 */
export async function keepUp(context: Context): Promise<void> {
  const { db } = context;
  const now = await sharedNow(context);
  const due = await db.query
    .selectFrom('queue')
    .select('id')
    .where('next_expiry', '<=', now)
    .orderBy('next_expiry')
    .limit(QUEUES_AT_ONCE)
    .execute();
  for (const { id } of due) await attend(context, id, expireInvites);
  const reminding = await db.query
    .selectFrom('queue')
    .select('id')
    .where('next_reminder', '<=', now)
    .orderBy('next_reminder')
    .limit(QUEUES_AT_ONCE)
    .execute();
  for (const { id } of reminding) await attend(context, id, remindInvited);
  for (const id of await findUnsettled(context, QUEUES_AT_ONCE)) await settle(context, id);
  const unranked = await db.query
    .selectFrom('queue')
    .select('id')
    .where('rerank_after', 'is not', null)
    .limit(QUEUES_AT_ONCE)
    .execute();
  for (const { id } of unranked) await attend(context, id, applyBoost);
  await endCancelledJobs(context);
  await forgetOldJobs(context);
  for (const id of await findUncounted(context, QUEUES_AT_ONCE)) await attend(context, id, countValues);
  await db.wipeErased(); // For erasures that a reader kept from being wiped.
  await db.refreshStatistics();
  await db.shrinkLog();
}

async function settle(context: Context, waitlistId: number): Promise<void> {
  try {
    await settleQueues(context, waitlistId);
  } catch (error) {
    const { message } = error as Error;
    context.log.warn(
      { waitlist: waitlistId, reason: message },
      'settling a waitlist failed and will be retried',
    );
  }
}

async function attend(
  context: Context,
  queueId: number,
  work: (context: Context, queue: Queue) => Promise<unknown>,
): Promise<void> {
  try {
    const queue = await context.directory.queueById(queueId);
    if (queue) await work(context, queue);
  } catch (error) {
    const { message } = error as Error;
    context.log.warn({ queue: queueId, reason: message }, 'upkeep of a queue failed and will be retried');
  }
}
