import { type RawBuilder, sql } from 'kysely';
import { DatabaseUnavailable } from '../../db/database.ts';
import { type ScheduledTask, startScheduler } from '../../db/scheduler.ts';
import { sharedNow } from '../../db/shared-clock.ts';
import { DoorlistError } from '../../errors.ts';
import { formatId, oldestId } from '../../ids.ts';
import { Unreadable } from '../../vault/crypto.ts';
import { changeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/directory.ts';
import {
  endHeldJob,
  type HeldJob,
  JobCancelled,
  type JobKind,
  type JobLease,
  JobLost,
  JobStopped,
  LEASE_MS,
  newToken,
  releaseJob,
} from '../queue/jobs.ts';
import { EXPORT_MS } from '../transfer/export-job.ts';

const LOOK_EVERY_MS = 500;
/** Leaves connections and the event loop to requests. */
const JOBS_AT_ONCE = 2;
const JOBS_LOOKED_AT = 100;
const DELETED_AT_ONCE = 500;
const KEEP_FINISHED_MS = 30 * 86_400_000;

interface DueJob {
  queue_id: number;
  id: Uint8Array;
  kind: string;
}

export interface JobRunner {
  readonly task: ScheduledTask;
  /** Stops running jobs after their current step. */
  close(): Promise<void>;
}

/** Runs the jobs that were started over the API, and those that another server left behind. */
export function createJobRunner(context: Context, kinds: readonly JobKind[]): JobRunner {
  let stopping = false;
  const running = new Map<string, Promise<void>>();
  const look = async () => {
    for (const due of await findDueJobs(context, kinds)) {
      const name = Buffer.from(due.id).toString('hex');
      if (stopping || running.size >= JOBS_AT_ONCE) return;
      if (running.has(name)) continue;
      const work = runJob(context, kinds, due, () => stopping)
        .catch((error: Error) => context.log.warn({ reason: error.message }, 'a job stopped'))
        .finally(() => running.delete(name));
      running.set(
        name,
        work.then(() => {}),
      );
    }
  };
  return {
    task: { name: 'jobs', everyMs: LOOK_EVERY_MS, dueAt: () => firstJobAt(kinds), run: look },
    close: async () => {
      stopping = true;
      await Promise.all(running.values());
    },
  };
}

/** With a scheduler of its own. */
export function startJobs(context: Context, kinds: readonly JobKind[]): Pick<JobRunner, 'close'> {
  const runner = createJobRunner(context, kinds);
  const scheduler = startScheduler(context, [runner.task]);
  return {
    close: async () => {
      await Promise.all([runner.close(), scheduler.close()]);
      await runner.close(); // The last look may have started some.
    },
  };
}

function firstJobAt(kinds: readonly JobKind[]): RawBuilder<number | null> {
  return sql<number | null>`(select min(coalesce(lease_until, 0)) from job
    where runner = 'server' and finished_at is null and kind in (${sql.join(kinds.map(({ kind }) => kind))}))`;
}

/** Runs every due job to its end, one after the other. */
export async function runDueJobs(context: Context, kinds: readonly JobKind[]): Promise<void> {
  for (;;) {
    let ran = false;
    for (const due of await findDueJobs(context, kinds))
      ran = (await runJob(context, kinds, due, () => false)) || ran;
    if (!ran) return;
  }
}

/** Jobs of a kind that this release does not know are left to other instances. */
async function findDueJobs(context: Context, kinds: readonly JobKind[]): Promise<DueJob[]> {
  const now = await sharedNow(context);
  return context.db.query
    .selectFrom('job')
    .select(['queue_id', 'id', 'kind'])
    .where('runner', '=', 'server')
    .where('finished_at', 'is', null)
    .where((e) => e.or([e('lease_until', 'is', null), e('lease_until', '<=', now)]))
    .where(
      'kind',
      'in',
      kinds.map(({ kind }) => kind),
    )
    .orderBy('id')
    .limit(JOBS_LOOKED_AT)
    .execute();
}

/** Returns false if the job has to wait, or another process was faster. */
async function runJob(
  context: Context,
  kinds: readonly JobKind[],
  due: DueJob,
  stopping: () => boolean,
): Promise<boolean> {
  const kind = kinds.find((each) => each.kind === due.kind);
  const queue = await context.directory.queueById(due.queue_id);
  if (!kind || !queue) return false;
  const claimed = await claimJob(context, queue, Buffer.from(due.id));
  if (!claimed) return false;
  const lease = { ...claimed.lease, stopping };
  try {
    if (claimed.cancelled) throw new JobCancelled();
    await kind.run(context, queue, { ...openJob(queue, claimed), lease });
    await endHeldJob(context, queue, lease, { outcome: 'done' });
  } catch (error) {
    await settle(context, queue, kind, lease, error as Error);
  }
  return true;
}

interface ClaimedJob {
  lease: JobLease;
  kind: string;
  input: Uint8Array;
  progress: string;
  cancelled: boolean;
}

/** One job of a queue at a time, except to end one that was cancelled. */
function claimJob(context: Context, queue: Queue, id: Buffer): Promise<ClaimedJob | undefined> {
  return changeQueue(context, queue, async ({ trx, now }) => {
    const open = await trx
      .selectFrom('job')
      .select(['id', 'kind', 'input', 'progress', 'lease_until', 'cancel_at'])
      .where('queue_id', '=', queue.id)
      .where('runner', '=', 'server')
      .where('finished_at', 'is', null)
      .execute();
    const isLeased = (job: (typeof open)[number]) => job.lease_until !== null && job.lease_until > now;
    const job = open.find((each) => id.equals(each.id));
    if (!job || isLeased(job) || (job.cancel_at === null && open.some(isLeased))) return undefined;
    const lease = { id, token: newToken() };
    trx.update('job', { key: ['queue_id', 'id'] }, [
      { queue_id: queue.id, id, lease_token: lease.token, lease_until: now + LEASE_MS },
    ]);
    const { kind, input, progress, cancel_at } = job;
    return { lease, kind, input, progress, cancelled: cancel_at !== null };
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
    progress: JSON.parse(progress) as never,
  };
}

async function settle(
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
  if (error instanceof JobStopped || error instanceof DatabaseUnavailable)
    return releaseJob(context, queue, lease);
  context.log.error({ job: formatId('job', lease.id), reason: error.message }, 'a job failed');
  return endHeldJob(context, queue, lease, { outcome: 'failed', error: inWords(error), ...ending });
}

/** Other messages may contain what must not be shown. */
function inWords(error: Error): string {
  if (error instanceof DoorlistError) return error.message;
  if (error instanceof Unreadable) return 'some of its data cannot be decrypted: run `doctor`';
  return 'an unexpected error: the log of the server has the details';
}

/** Ends cancelled jobs whose process died before it noticed. A server's own jobs are ended when claimed. */
export async function endCancelledJobs(context: Context): Promise<void> {
  const now = await sharedNow(context);
  await context.db.query
    .updateTable('job')
    .set({ outcome: 'cancelled', finished_at: now, lease_token: null, lease_until: null })
    .where('runner', '<>', 'server')
    .where('finished_at', 'is', null)
    .where('cancel_at', 'is not', null)
    .where((e) => e.or([e('lease_until', 'is', null), e('lease_until', '<=', now)]))
    .execute();
}

/** Deletes jobs that finished long ago, and ends exports that can no longer be downloaded. */
export async function forgetOldJobs(context: Context): Promise<void> {
  const now = await sharedNow(context);
  await context.db.query
    .updateTable('job')
    .set({ outcome: 'cancelled', finished_at: now, lease_token: null, lease_until: null })
    .where('runner', '=', 'request')
    .where('finished_at', 'is', null)
    .where('created_at', '<', now - EXPORT_MS)
    .execute();
  await eraseOldUploads(context, now);
  const before = now - KEEP_FINISHED_MS;
  const { query } = context.db;
  const old = await query
    .selectFrom('job')
    .select('id')
    .where('finished_at', '<', before)
    .limit(DELETED_AT_ONCE)
    .execute();
  if (old.length === 0) return;
  await query
    .deleteFrom('job')
    .where((e) =>
      context.db.in(
        e.ref('id'),
        old.map(({ id }) => id),
      ),
    )
    .execute();
}

/** Files whose import has ended or was never started, and errors of imports that are forgotten. */
async function eraseOldUploads({ db }: Context, now: number): Promise<void> {
  const abandoned = oldestId(now - EXPORT_MS);
  await db.query
    .deleteFrom('import_chunk')
    .where('job_id', '<', abandoned)
    .where((e) =>
      e.or([
        e('job_id', 'not in', e.selectFrom('job').select('id').where('kind', '=', 'import')),
        e.and([
          e('part', '=', 'file'),
          e('job_id', 'in', e.selectFrom('job').select('id').where('finished_at', 'is not', null)),
        ]),
      ]),
    )
    .execute();
}
