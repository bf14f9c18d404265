import { type RawBuilder, sql } from 'kysely';
import type { Dialect } from '../../db/dialect.ts';
import { type ScheduledTask, startScheduler } from '../../db/scheduler.ts';
import { sharedNow } from '../../db/shared-clock.ts';
import { HOUR_MS } from '../../lib/time.ts';
import { forgetExpired } from '../forms/forget.ts';
import { expireInvites } from '../invites/end-invites.ts';
import { remindInvited } from '../invites/remind-invited.ts';
import { endCancelledJobs, forgetOldJobs } from '../jobs/forget-jobs.ts';
import type { Context } from '../queue/context.ts';
import { forEachQueue } from '../queue/readable.ts';
import { rerank } from '../referrals/rerank.ts';
import { forgetAnswers } from '../requests/repeated-requests.ts';
import { findDueReviews, firstReviewAt, reviewSending } from '../sending/review.ts';
import { findUnsettled, settleQueues } from '../settings/settle-queues.ts';
import { countValues, findUncounted } from '../statistics/count-values.ts';
import { isBeingUndone } from '../transfer/import/undo-import.ts';
import { runDueWaves } from '../waves/run-wave.ts';
import { findDueQueues, firstWaveAt } from '../waves/wave-states.ts';
import { watch } from './health.ts';
import { removeDeleted } from './remove-deleted.ts';

const EVERY_MS = 1_000;
const WATCH_EVERY_MS = 60_000;
const REMOVE_EVERY_MS = 5_000;
const QUEUES_AT_ONCE = 100;

/**
 * Periodic work: expires invites, sends reminders, starts waves, ends pauses of emails, closes up places, applies a changed boost, counts values of metadata,
 * forgets old jobs, removes what belonged to deleted waitlists, refreshes the database's statistics, and
 * keeps its log small.
 */
interface Upkeep {
  readonly tasks: readonly ScheduledTask[];
  /** Lets long tasks end soon. */
  stop(): void;
}

export function createUpkeep(context: Context): Upkeep {
  let stopping = false;
  return {
    stop: () => {
      stopping = true;
    },
    tasks: [
      { name: 'upkeep', everyMs: EVERY_MS, dueAt: firstUpkeepAt, run: () => keepUp(context) },
      { name: 'storage upkeep', everyMs: EVERY_MS, afterChanges: true, run: () => tendStorage(context) },
      {
        name: 'removal of deleted waitlists',
        everyMs: REMOVE_EVERY_MS, // On its own, because millions of rows take a while.
        dueAt: () => sql<number | null>`(select min(deleted_at) from waitlist where deleted_at is not null)`,
        run: () => removeDeleted(context, () => stopping),
      },
      {
        name: 'status check',
        ...{ everyMs: WATCH_EVERY_MS, afterChanges: true, atLeastEveryMs: HOUR_MS },
        run: async () => {
          await Promise.all([watch(context), forgetExpired(context), forgetAnswers(context)]);
        },
      },
      {
        name: 'removal of old jobs',
        ...{ everyMs: HOUR_MS, atLeastEveryMs: HOUR_MS },
        run: () => forgetOldJobs(context),
      },
    ],
  };
}

/** With a scheduler of its own. */
export function startUpkeep(context: Context): { close(): Promise<void> } {
  const upkeep = createUpkeep(context);
  const scheduler = startScheduler(context, upkeep.tasks);
  return {
    close: () => {
      upkeep.stop();
      return scheduler.close();
    },
  };
}

/** Each part has an index or a small table. */
function firstUpkeepAt(db: Dialect): RawBuilder<number | null> {
  const reachable = db.reachable(sql.ref('queue_id'));
  return sql<number | null>`(select min(at) from (
    select min(next_expiry) as at from queue_state where next_expiry is not null and ${reachable}
    union all select min(next_reminder) from queue_state where next_reminder is not null and ${reachable}
    union all select at from (${firstWaveAt(db)}) as waves
    union all select at from (${firstReviewAt(db)}) as reviews
    union all select min(0) from waitlist where unsettled is not null and deleted_at is null
    union all select min(0) from queue_state where rerank_after is not null and ${reachable}
    union all select min(0) from queue_state where close_after is not null and ${reachable}
    union all select min(coalesce(lease_until, 0)) from job
      where runner <> 'server' and finished_at is null and cancel_at is not null and ${reachable}
    union all select min(0) from metadata_key as k join queue_state as q on q.queue_id = k.queue_id
      where k.counted_seq < q.last_seq and ${db.reachable(sql.ref('q.queue_id'))}
    union all select min(0) from instance where erasures <> erasures_wiped
  ) as due)`;
}

/**
 * One round, for each queue separately, so that a failure affects only one. Several instances can run it at
 * once: each step is a transaction under the queue's lock.
 */
export async function keepUp(context: Context): Promise<void> {
  const { db } = context;
  const now = await sharedNow(context);
  const due = await db.query
    .selectFrom('queue_state')
    .select('queue_id as id')
    .where('next_expiry', '<=', now)
    .where((e) => db.reachable(e.ref('queue_id')))
    .orderBy('next_expiry')
    .limit(QUEUES_AT_ONCE)
    .execute();
  await forEachQueue(context, 'expiry of invites', due.map(idOf), expireInvites);
  const reminding = await db.query
    .selectFrom('queue_state')
    .select('queue_id as id')
    .where('next_reminder', '<=', now)
    .where((e) => db.reachable(e.ref('queue_id')))
    .orderBy('next_reminder')
    .limit(QUEUES_AT_ONCE)
    .execute();
  await forEachQueue(context, 'reminders', reminding.map(idOf), remindInvited);
  const reviewed = await findDueReviews(context, now, QUEUES_AT_ONCE);
  await forEachQueue(context, 'review of bounces', reviewed, reviewSending);
  await forEachQueue(context, 'waves', await findDueQueues(context, now, QUEUES_AT_ONCE), runDueWaves);
  for (const id of await findUnsettled(context, QUEUES_AT_ONCE)) await settleQueues(context, id);
  const unranked = await db.query
    .selectFrom('queue_state')
    .select('queue_id as id')
    .where((e) => e.or([e('rerank_after', 'is not', null), e('close_after', 'is not', null)]))
    .where((e) => e.not(isBeingUndone(e.ref('queue_id'), now)))
    .where((e) => db.reachable(e.ref('queue_id')))
    .limit(QUEUES_AT_ONCE)
    .execute();
  await forEachQueue(context, 'change of the boost', unranked.map(idOf), rerank);
  await endCancelledJobs(context);
  const uncounted = await findUncounted(context, QUEUES_AT_ONCE);
  await forEachQueue(context, 'counting of metadata', uncounted, countValues);
  await db.wipeErased(); // For erasures that a reader kept from being wiped.
  await tendStorage(context);
}

const idOf = ({ id }: { id: number }) => id;

async function tendStorage({ db }: Context): Promise<boolean> {
  await db.refreshStatistics();
  return db.shrinkLog();
}
