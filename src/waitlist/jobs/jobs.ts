import type { Trx } from '../../db/database.ts';
import { sharedNow } from '../../db/shared-clock.ts';
import type { JobOutcome, JobRunner } from '../../db/tables.ts';
import { DoorlistError } from '../../lib/errors.ts';
import { newIdOf, randomBytes } from '../../lib/ids.ts';
import { repeat } from '../../lib/promises.ts';
import { DAY_MS } from '../../lib/time.ts';
import { storedJson } from '../../vault/vault.ts';
import { changeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import type { QueueChange } from '../queue/queue-change.ts';

/** After a crash, another instance waits this long. Whoever works on a job renews its lease meanwhile. */
export const LEASE_MS = 15_000;
/** Two renewals can fail before the lease ends. */
const RENEW_EVERY_MS = 5_000;
const TOKEN_BYTES = 16;
/** How long the file of an export can be downloaded, and an upload waits for its import. */
export const FILE_MS = DAY_MS;

/** The right to work on a job. It ends when another process takes the job over. */
export interface JobLease {
  readonly id: Buffer;
  readonly token: Buffer;
  /** Set by a server that shuts down: the job stops before its next step. */
  readonly stopping?: () => boolean;
}

/** Long work on a queue that can stop at any moment and continue from its last commit. */
interface Job<Input = unknown, Progress = unknown> {
  readonly id: Buffer;
  /** With its prefix: job_… */
  readonly publicId: string;
  readonly kind: string;
  readonly input: Input;
  readonly progress: Progress;
}

export interface HeldJob<Input = unknown, Progress = unknown> extends Job<Input, Progress> {
  readonly lease: JobLease;
}

/** A kind of job that servers run. Kinds are registered in `server/background.ts`. */
export interface JobKind {
  readonly kind: string;
  /**
   * Works in steps, each in one transaction of the queue: `readProgress` first, `advanceJob` or `finishJob`
   * last.
   */
  run(context: Context, queue: Queue, job: HeldJob<never, never>): Promise<void>;
  /** Deletes what the job leaves behind, when it fails or is cancelled. */
  cleanUp?(change: QueueChange, id: Buffer): Promise<void>;
}

interface NewJob {
  kind: string;
  /** Sealed. */
  input: unknown;
  /** Without personal data. */
  progress?: unknown;
  total?: number | null;
  /** Public id of what it is about. Default: the whole waitlist. */
  subject?: string;
  /** Default: a new one. */
  id?: Buffer;
  /** A server picks the job up by itself. The others hold the lease from the start. */
  runner: JobRunner;
  /** Whether the caller works on it at once. If it dies, the runner goes on. */
  held?: boolean;
}

export function createJob(
  { actor }: Pick<Context, 'actor'>,
  { trx, queue, now }: Pick<QueueChange, 'trx' | 'queue' | 'now'>,
  job: NewJob,
): JobLease {
  const { kind, input, progress = null, total = null, subject = null, runner } = job;
  const { id = newIdOf(queue.id, now), held = runner !== 'server' } = job;
  const token = newToken();
  trx.insert('job', [
    {
      queue_id: queue.id,
      id,
      kind,
      input: queue.vault.seal('job.input', id, input),
      progress: JSON.stringify(progress),
      created_at: now,
      updated_at: now,
      finished_at: null,
      runner,
      total,
      created_by: actor ?? null,
      subject,
      lease_token: held ? token : null,
      lease_until: held ? now + LEASE_MS : null,
    },
  ]);
  return { id, token };
}

export function newToken(): Buffer {
  return randomBytes(TOKEN_BYTES);
}

/** Another process works on the job now. */
export class JobLost extends DoorlistError {
  constructor() {
    super('conflict', 'another process is working on this job, or it has ended');
  }
}

export class JobCancelled extends DoorlistError {
  constructor() {
    super('conflict', 'this job was cancelled');
  }
}

/** The server shuts down. Another one, or the next start, continues. */
export class JobStopped extends Error {
  override name = 'JobStopped';
}

/**
 * Starts a step, under the queue's lock: returns the progress of the last step, and throws if the job must
 * not go on.
 */
export async function readProgress<P>(trx: Trx, queue: Queue, lease: JobLease): Promise<P> {
  if (lease.stopping?.()) throw new JobStopped();
  const row = await trx
    .selectFrom('job')
    .select(['progress', 'cancel_at', 'lease_token'])
    .where('queue_id', '=', queue.id)
    .where('id', '=', lease.id)
    .where('finished_at', 'is', null)
    .executeTakeFirst();
  if (!row?.lease_token || !lease.token.equals(row.lease_token)) throw new JobLost();
  if (row.cancel_at !== null) throw new JobCancelled();
  return storedJson<P>(row.progress);
}

interface Counts {
  done: number;
  /** Leave it out to keep it. */
  total?: number | null;
  /** What the job did so far: it is shown however the job ends. Without personal data. */
  result?: unknown;
}

/** Ends a step: records its progress, without personal data, and renews the lease. */
export function advanceJob(
  { trx, queue, now }: QueueChange,
  { id }: JobLease,
  progress: unknown,
  { done, ...rest }: Counts,
): void {
  const key = { queue_id: queue.id, id };
  const row = {
    ...key,
    progress: JSON.stringify(progress),
    done,
    updated_at: now,
    lease_until: now + LEASE_MS,
  };
  trx.update('job', { key: ['queue_id', 'id'] }, [row]);
  if (rest.total !== undefined)
    trx.update('job', { key: ['queue_id', 'id'] }, [{ ...key, total: rest.total }]);
  if (rest.result !== undefined)
    trx.update('job', { key: ['queue_id', 'id'] }, [{ ...key, result: JSON.stringify(rest.result) }]);
}

/** Ends the last step. */
export function finishJob(change: QueueChange, lease: JobLease, progress: unknown, counts: Counts): void {
  advanceJob(change, lease, progress, counts);
  endJob(change, lease.id, 'done');
}

export function endJob(
  { trx, queue, now }: Pick<QueueChange, 'trx' | 'queue' | 'now'>,
  id: Buffer,
  outcome: JobOutcome,
  { error = null, result }: { error?: string | null; result?: unknown } = {},
): void {
  const ended = {
    queue_id: queue.id,
    id,
    outcome,
    error,
    updated_at: now,
    finished_at: now,
    lease_token: null,
    lease_until: null,
  };
  const options = { key: ['queue_id', 'id'] } as const;
  if (result === undefined) trx.update('job', options, [ended]);
  else trx.update('job', options, [{ ...ended, result: JSON.stringify(result) }]);
}

/** Ends a job that this process holds, or does nothing if it no longer does. */
export function endHeldJob(
  context: Context,
  queue: Queue,
  { id, token }: JobLease,
  how: { outcome: JobOutcome; error?: string; cleanUp?: JobKind['cleanUp'] },
): Promise<void> {
  return changeQueue(context, queue, async (change) => {
    if (!(await isHeld(change.trx, queue, { id, token }))) return;
    await how.cleanUp?.(change, id);
    endJob(change, id, how.outcome, { error: how.error ?? null });
  });
}

/** Lets another process continue at once. */
export function releaseJob(context: Context, queue: Queue, lease: JobLease): Promise<void> {
  return changeQueue(context, queue, async ({ trx }) => {
    if (!(await isHeld(trx, queue, lease))) return;
    const row = { queue_id: queue.id, id: lease.id, lease_token: null, lease_until: null };
    trx.update('job', { key: ['queue_id', 'id'] }, [row]);
  });
}

/**
 * Renews the lease while the job is worked on, however long a step takes. It needs no lock of the queue. Returns
 * a function that stops it.
 */
export function keepLease(
  context: Context,
  queue: Queue,
  { id, token }: JobLease,
  everyMs: number = RENEW_EVERY_MS,
): () => Promise<void> {
  // If it fails too often, the job is lost, which its next step notices.
  return repeat(everyMs, async () => {
    const leaseUntil = (await sharedNow(context)) + LEASE_MS;
    await context.db.query
      .updateTable('job')
      .set({ lease_until: leaseUntil })
      .where('queue_id', '=', queue.id)
      .where('id', '=', id)
      .where('lease_token', '=', token)
      .execute();
  });
}

async function isHeld(trx: Trx, queue: Queue, { id, token }: JobLease): Promise<boolean> {
  const row = await trx
    .selectFrom('job')
    .select('id')
    .where('queue_id', '=', queue.id)
    .where('id', '=', id)
    .where('lease_token', '=', token)
    .where('finished_at', 'is', null)
    .executeTakeFirst();
  return row !== undefined;
}

/** For the command line, which waits for its job. After an error, the job can be resumed. */
export async function workOnJob<T>(
  context: Context,
  queue: Queue,
  lease: JobLease,
  work: () => Promise<T>,
): Promise<T> {
  const stopRenewing = keepLease(context, queue, lease);
  try {
    return await work();
  } catch (error) {
    if (error instanceof JobCancelled) await endHeldJob(context, queue, lease, { outcome: 'cancelled' });
    else if (!(error instanceof JobLost)) await releaseJob(context, queue, lease).catch(() => {});
    throw error;
  } finally {
    await stopRenewing();
  }
}
