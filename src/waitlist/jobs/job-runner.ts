import { type RawBuilder, sql } from 'kysely';
import { DatabaseUnavailable } from '../../db/database.ts';
import type { Dialect } from '../../db/dialect.ts';
import { type ScheduledTask, startScheduler } from '../../db/scheduler.ts';
import { sharedNow } from '../../db/shared-clock.ts';
import { DoorlistError } from '../../lib/errors.ts';
import { bytesKey, formatId } from '../../lib/ids.ts';
import { reportState } from '../../lib/state-log.ts';
import { Unreadable } from '../../vault/crypto.ts';
import { storedJson } from '../../vault/vault.ts';
import { changeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import { withQueues } from '../queue/readable.ts';
import { isLeased } from './find-jobs.ts';
import {
  endHeldJob,
  endJob,
  type HeldJob,
  JobCancelled,
  type JobKind,
  type JobLease,
  JobLost,
  JobStopped,
  keepLease,
  LEASE_MS,
  newToken,
  releaseJob,
} from './jobs.ts';

/** In intervals. */
const LONGEST_PAUSE = 60;
/** Leaves connections and the event loop to requests. */
const JOBS_AT_ONCE = 2;
const JOBS_LOOKED_AT = 100;

interface DueJob {
  queue_id: number;
  id: Uint8Array;
  kind: string;
  cancel_at: number | null;
}

interface FoundJob {
  queue: Queue;
  row: DueJob;
}

interface JobRunner {
  readonly task: ScheduledTask;
  /** Stops running jobs after their current step. */
  close(): Promise<void>;
}

interface JobTimes {
  lookMs: number;
  renewMs: number;
}

const TIMES: JobTimes = { lookMs: 500, renewMs: 5_000 };

/**
 * Runs the jobs that were started over the API, and those that another server left behind. While the database
 * cannot be written, such as on a full disk, it tries less and less often, and says so once.
 */
export function createJobRunner(
  context: Context,
  kinds: readonly JobKind[],
  times: Partial<JobTimes> = {},
): JobRunner {
  const { lookMs, renewMs } = { ...TIMES, ...times };
  const { log } = context;
  let stopping = false;
  let failures = 0;
  let retryAt = Number.NEGATIVE_INFINITY;
  const running = new Map<string, { queueId: number; work: Promise<void> }>();
  /** When each queue last had its turn, as a number that grows. */
  const turns = new Map<number, number>();
  let turn = 0;
  const stumbles = new Map<number, { times: number; until: number }>();
  const worked = () => {
    failures = 0;
    reportState(log, 'jobs', 'ok');
  };
  const failed = (error: Error) => {
    failures += 1;
    retryAt = performance.now() + pauseAfter(failures, lookMs);
    reportState(log, 'jobs', 'failing', { reason: error.message });
  };
  /** The database is there, so it is something about this queue: the others go on. */
  const stumbled = (queueId: number, error: Error) => {
    const times = (stumbles.get(queueId)?.times ?? 0) + 1;
    stumbles.set(queueId, { times, until: performance.now() + pauseAfter(times, lookMs) });
    reportState(log, `jobs, queue ${queueId}`, 'failing', { queue: queueId, reason: error.message });
  };
  const ended = (queueId: number) => {
    stumbles.delete(queueId);
    reportState(log, `jobs, queue ${queueId}`, 'ok');
    worked();
  };
  const isFree = ({ queue, row }: FoundJob) =>
    (stumbles.get(queue.id)?.until ?? 0) <= performance.now() &&
    !running.has(bytesKey(row.id)) &&
    (row.cancel_at !== null || ![...running.values()].some(({ queueId }) => queueId === queue.id));
  const begin = ({ queue, row }: FoundJob) => {
    const name = bytesKey(row.id);
    turn += 1;
    turns.set(queue.id, turn);
    const work = runJob(context, kinds, queue, row, { stopping: () => stopping, renewMs })
      .then(
        (ran) => ran && ended(queue.id),
        (error) => (error instanceof DatabaseUnavailable ? failed(error) : stumbled(queue.id, error)),
      )
      .finally(() => running.delete(name));
    running.set(name, { queueId: queue.id, work: work.then(() => {}) });
  };
  const look = async () => {
    const found = await findDueJobs(context, kinds);
    if (found.length === 0 && running.size === 0) worked();
    const lastTurn = ({ queue }: FoundJob) => turns.get(queue.id) ?? 0;
    for (const each of found.toSorted((a, b) => lastTurn(a) - lastTurn(b))) {
      if (stopping || running.size >= JOBS_AT_ONCE) return;
      if (isFree(each)) begin(each);
    }
  };
  return {
    task: {
      name: 'finding jobs',
      everyMs: lookMs,
      dueAt: (db) => firstJobAt(db, kinds),
      run: async () => {
        if (performance.now() >= retryAt) await look();
      },
    },
    close: async () => {
      stopping = true;
      await Promise.all([...running.values()].map(({ work }) => work));
    },
  };
}

/** With a scheduler of its own. */
export function startJobs(
  context: Context,
  kinds: readonly JobKind[],
  times: Partial<JobTimes> = {},
): Pick<JobRunner, 'close'> {
  const runner = createJobRunner(context, kinds, times);
  const scheduler = startScheduler(context, [runner.task]);
  return {
    close: async () => {
      await Promise.all([runner.close(), scheduler.close()]);
      await runner.close(); // The last look may have started some.
    },
  };
}

function firstJobAt(db: Dialect, kinds: readonly JobKind[]): RawBuilder<number | null> {
  return sql<number | null>`(select min(coalesce(lease_until, 0)) from job
    where runner = 'server' and finished_at is null and kind in (${sql.join(kinds.map(({ kind }) => kind))})
      and ${db.reachable(sql.ref('queue_id'))})`;
}

/** Doubles with each failure, up to 30 s with the usual interval. */
export function pauseAfter(failures: number, lookMs: number): number {
  return lookMs * Math.min(2 ** failures, LONGEST_PAUSE);
}

/**
 * On SQLite only one server runs at a time, so a lease that is left at the start is that of a server that died:
 * its job continues at once.
 */
export async function takeLeasesBack({ db }: Context): Promise<void> {
  await db.query
    .updateTable('job')
    .set({ lease_token: null, lease_until: null })
    .where('runner', '=', 'server')
    .where('finished_at', 'is', null)
    .execute();
}

/** Runs every due job to its end, one after the other. */
export async function runDueJobs(context: Context, kinds: readonly JobKind[]): Promise<void> {
  for (;;) {
    let ran = false;
    for (const { queue, row } of await findDueJobs(context, kinds))
      ran = (await runJob(context, kinds, queue, row)) || ran;
    if (!ran) return;
  }
}

/**
 * The next job of each queue that works on none, and those that were cancelled, the oldest first: a busy queue does not
 * keep those of the others waiting. Jobs of a kind that this release does not know are left to other instances. Those of
 * queues that cannot be read wait.
 */
async function findDueJobs(context: Context, kinds: readonly JobKind[]): Promise<FoundJob[]> {
  const { db } = context;
  const now = await sharedNow(context);
  const isKnown = sql<boolean>`kind in (${sql.join(kinds.map(({ kind }) => kind))})`;
  const found: FoundJob[] = [];
  for (let after: Uint8Array | undefined; ; ) {
    const { rows } = await sql<DueJob>`select queue_id, id, kind, cancel_at from (
        select queue_id, id, kind, cancel_at, lease_until,
          row_number() over (
            partition by queue_id, case when cancel_at is null and ${isKnown} then 1 else 0 end order by id
          ) as nth,
          max(coalesce(lease_until, 0)) over (partition by queue_id) as leased_until
        from job where runner = 'server' and finished_at is null and ${db.reachable(sql.ref('queue_id'))}
      ) as open
      where ${isKnown} and (lease_until is null or lease_until <= ${now})
        and (cancel_at is not null or (nth = 1 and leased_until <= ${now}))
        ${after ? sql`and id > ${after}` : sql``}
      order by id limit ${JOBS_LOOKED_AT}`.execute(db.query);
    found.push(...(await withQueues(context, rows)));
    after = rows.at(-1)?.id;
    if (rows.length < JOBS_LOOKED_AT || found.length >= JOBS_LOOKED_AT) return found;
  }
}

/**
 * Returns false if the job has to wait, was cancelled before, or another process was faster. Throws
 * `DatabaseUnavailable` if it has to continue later.
 */
async function runJob(
  context: Context,
  kinds: readonly JobKind[],
  queue: Queue,
  due: DueJob,
  { stopping = () => false, renewMs }: { stopping?: () => boolean; renewMs?: number } = {},
): Promise<boolean> {
  const kind = kinds.find((each) => each.kind === due.kind);
  if (!kind) return false;
  const claimed = await claimJob(context, queue, kind, Buffer.from(due.id));
  if (!claimed) return false;
  const lease = { ...claimed.lease, stopping };
  const stopRenewing = renewMs === undefined ? undefined : keepLease(context, queue, lease, renewMs);
  try {
    await kind.run(context, queue, { ...openJob(queue, claimed), lease });
    await endHeldJob(context, queue, lease, { outcome: 'done' });
  } catch (error) {
    await endFailed(context, queue, kind, lease, error as Error);
  } finally {
    await stopRenewing?.();
  }
  return true;
}

interface ClaimedJob {
  lease: JobLease;
  kind: string;
  input: Uint8Array;
  progress: string;
}

/** One job of a queue at a time. One that was cancelled while it waited ends here. */
function claimJob(
  context: Context,
  queue: Queue,
  { cleanUp }: JobKind,
  id: Buffer,
): Promise<ClaimedJob | undefined> {
  return changeQueue(context, queue, async (change) => {
    const { trx, now } = change;
    const open = await trx
      .selectFrom('job')
      .select(['id', 'kind', 'input', 'progress', 'lease_until', 'cancel_at'])
      .where('queue_id', '=', queue.id)
      .where('runner', '=', 'server')
      .where('finished_at', 'is', null)
      .execute();
    const job = open.find((each) => id.equals(each.id));
    if (!job || isLeased(job, now)) return undefined;
    if (job.cancel_at !== null) {
      await cleanUp?.(change, id);
      endJob({ trx, queue, now: job.cancel_at }, id, 'cancelled');
      return undefined;
    }
    if (open.some((each) => isLeased(each, now))) return undefined;
    const lease = { id, token: newToken() };
    trx.update('job', { key: ['queue_id', 'id'] }, [
      { queue_id: queue.id, id, lease_token: lease.token, lease_until: now + LEASE_MS },
    ]);
    const { kind, input, progress } = job;
    return { lease, kind, input, progress };
  });
}

function openJob(
  queue: Queue,
  { lease: { id }, kind, input, progress }: ClaimedJob,
): Omit<HeldJob<never, never>, 'lease'> {
  return {
    id,
    publicId: formatId('job', id),
    kind,
    input: queue.vault.open<never>('job.input', id, input),
    progress: storedJson<never>(progress),
  };
}

async function endFailed(
  context: Context,
  queue: Queue,
  { cleanUp }: JobKind,
  lease: JobLease,
  error: Error,
): Promise<void> {
  const ending = cleanUp ? { cleanUp } : {};
  if (error instanceof JobLost) return;
  if (error instanceof JobCancelled)
    return endHeldJob(context, queue, lease, { outcome: 'cancelled', ...ending });
  if (error instanceof JobStopped) return releaseJob(context, queue, lease);
  if (error instanceof DatabaseUnavailable) {
    await releaseJob(context, queue, lease).catch(() => {}); // If not, the lease ends soon.
    throw error;
  }
  context.log.error({ job: formatId('job', lease.id), reason: error.message }, 'a job failed');
  return endHeldJob(context, queue, lease, { outcome: 'failed', error: inWords(error), ...ending });
}

/** Other messages may contain what must not be shown. */
function inWords(error: Error): string {
  if (error instanceof DoorlistError) return error.message;
  if (error instanceof Unreadable) return 'some of its data cannot be decrypted: run `doctor`';
  return 'an unexpected error: the log of the server has the details';
}
