import type { Selectable } from 'kysely';
import { sharedNow } from '../../db/shared-clock.ts';
import type { JobOutcome, JobRunner, JobTable } from '../../db/tables.ts';
import { conflict, invalid, notFound } from '../../lib/errors.ts';
import { formatId, parseId, queueIdIn } from '../../lib/ids.ts';
import { ifReadable } from '../../vault/crypto.ts';
import { storedJson } from '../../vault/vault.ts';
import { changeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import { withQueues } from '../queue/readable.ts';
import { endJob, type HeldJob, LEASE_MS, newToken } from './jobs.ts';

export const JOB_STATES = ['queued', 'running', 'done', 'failed', 'cancelled'] as const;
type JobState = (typeof JOB_STATES)[number];

/** A job without its input. */
export interface JobSummary {
  readonly id: Uint8Array;
  readonly kind: string;
  readonly state: JobState;
  readonly runner: JobRunner;
  readonly done: number;
  readonly total: number | null;
  readonly error: string | null;
  readonly result: Record<string, unknown> | null;
  readonly queue: Queue;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly finishedAt: number | null;
  readonly createdBy: string | null;
  readonly subject: string | null;
}

type JobRow = Omit<Selectable<JobTable>, 'input' | 'progress'>;

const COLUMNS = [
  'queue_id',
  'id',
  'kind',
  'done',
  'total',
  'outcome',
  'error',
  'result',
  'runner',
  'created_by',
  'subject',
  'created_at',
  'updated_at',
  'finished_at',
  'lease_token',
  'lease_until',
  'cancel_at',
] as const;

/** Finds a job of any queue by its public id. */
export async function readJob(context: Context, jobId: string): Promise<JobSummary> {
  const id = parseId('job', jobId);
  const row = id && (await findRow(context, id));
  const queue = row && (await context.registry.queueById(row.queue_id));
  if (!row || !queue) throw notFound(`there is no job ${jobId}`);
  return summarize(queue, row, await sharedNow(context));
}

function findRow({ db }: Context, id: Buffer) {
  return db.query
    .selectFrom('job')
    .select(COLUMNS)
    .where('queue_id', '=', queueIdIn(id))
    .where('id', '=', id)
    .executeTakeFirst();
}

/** The jobs of a queue, newest first. `before` is the id of the last job of the previous page. */
export async function listJobs(
  context: Context,
  queue: Queue,
  page: { limit: number; before?: string | undefined; kind?: string | undefined },
): Promise<{ jobs: JobSummary[]; more: boolean }> {
  let query = context.db.query.selectFrom('job').select(COLUMNS).where('queue_id', '=', queue.id);
  if (page.kind !== undefined) query = query.where('kind', '=', page.kind);
  if (page.before !== undefined) {
    const before = parseId('job', page.before);
    if (!before) throw invalid('cursor: is invalid');
    query = query.where('id', '<', before);
  }
  const rows = await query
    .orderBy('id', 'desc')
    .limit(page.limit + 1)
    .execute();
  const now = await sharedNow(context);
  const jobs = rows.slice(0, page.limit).map((row) => summarize(queue, row, now));
  return { jobs, more: rows.length > page.limit };
}

/** The newest jobs of all queues. */
export async function listNewestJobs(context: Context, limit: number): Promise<JobSummary[]> {
  const { db } = context;
  const rows = await db.query.selectFrom('job').select(COLUMNS).orderBy('id', 'desc').limit(limit).execute();
  const found = await withQueues(context, rows);
  const now = await sharedNow(context);
  return found.map(({ queue, row }) => summarize(queue, row, now));
}

/** How many there are in each state, in all queues. Old ones are removed, so there are not many. */
export async function countJobs(context: Context): Promise<Record<JobState, number>> {
  const rows = await context.db.query
    .selectFrom('job')
    .select(['outcome', 'lease_until', 'cancel_at'])
    .execute();
  const now = await sharedNow(context);
  const counts = Object.fromEntries(JOB_STATES.map((state) => [state, 0])) as Record<JobState, number>;
  for (const row of rows) counts[stateOf(row, now)] += 1;
  return counts;
}

function summarize(queue: Queue, row: JobRow, now: number): JobSummary {
  const state = stateOf(row, now);
  const isOpen = state === 'queued' || state === 'running';
  return {
    id: row.id,
    kind: row.kind,
    state,
    runner: row.runner,
    done: row.done,
    total: row.total,
    error: row.error,
    result:
      isOpen || row.result === null
        ? null
        : (ifReadable(() => storedJson<Record<string, unknown>>(row.result as string)) ?? null),
    queue,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    finishedAt: row.finished_at ?? (isOpen ? null : row.cancel_at),
    createdBy: row.created_by,
    subject: row.subject,
  };
}

export function stateOf(row: Pick<JobRow, 'outcome' | 'lease_until' | 'cancel_at'>, now: number): JobState {
  if (row.outcome !== null) return row.outcome satisfies JobOutcome;
  if (isLeased(row, now)) return 'running';
  return row.cancel_at === null ? 'queued' : 'cancelled';
}

export function isLeased({ lease_until }: Pick<JobRow, 'lease_until'>, now: number): boolean {
  return lease_until !== null && lease_until > now;
}

/**
 * Cancels a job. One that is running ends after its current step; one that waits has ended at once. What it has
 * done so far stays. A server's own jobs are cleaned up by the next server that finds them.
 */
export async function cancelJob(context: Context, { id, queue }: JobSummary): Promise<JobSummary> {
  const publicId = formatId('job', id);
  await changeQueue(context, queue, async (change) => {
    const { trx, now } = change;
    const row = await trx
      .selectFrom('job')
      .select(['runner', 'outcome', 'lease_until', 'cancel_at'])
      .where('queue_id', '=', queue.id)
      .where('id', '=', id)
      .executeTakeFirst();
    if (!row) throw notFound(`there is no job ${publicId}`);
    const state = stateOf(row, now);
    if (state !== 'queued' && state !== 'running') throw conflict(`this job is already ${state}`);
    trx.update('job', { key: ['queue_id', 'id'] }, [{ queue_id: queue.id, id, cancel_at: now }]);
    if (row.runner !== 'server' && !isLeased(row, now)) endJob(change, Buffer.from(id), 'cancelled');
    await context.audit?.(trx, { action: 'job.cancelled', object: { kind: 'job', id: publicId } });
  });
  return readJob(context, publicId);
}

/**
 * Takes over the unfinished job of the command line with this id (job_…), or else the newest one, optionally
 * of one kind. A process that still works on it notices before its next step.
 */
export function takeOverJob<I = unknown, P = unknown>(
  context: Context,
  queue: Queue,
  id?: string,
  kind?: string,
): Promise<HeldJob<I, P>> {
  const wanted = id === undefined ? undefined : parseId('job', id);
  if (id !== undefined && !wanted) throw invalid('job id: must look like job_…');
  return changeQueue(context, queue, async ({ trx, now }) => {
    let query = trx
      .selectFrom('job')
      .select(['id', 'kind', 'input', 'progress', 'runner'])
      .where('queue_id', '=', queue.id)
      .where('finished_at', 'is', null)
      .where('cancel_at', 'is', null);
    query = wanted ? query.where('id', '=', wanted) : query.where('runner', '=', 'command-line');
    if (kind !== undefined) query = query.where('kind', '=', kind);
    const row = await query.orderBy('id', 'desc').limit(1).executeTakeFirst();
    if (!row)
      throw notFound(`there is no unfinished job${id === undefined ? '' : ` ${id}`} on this waitlist`);
    if (row.runner !== 'command-line') throw invalid(`${id}: the server runs this job by itself`);
    const lease = { id: Buffer.from(row.id), token: newToken() };
    trx.update('job', { key: ['queue_id', 'id'] }, [
      { queue_id: queue.id, id: lease.id, lease_token: lease.token, lease_until: now + LEASE_MS },
    ]);
    return {
      id: lease.id,
      publicId: formatId('job', lease.id),
      kind: row.kind,
      input: queue.vault.open<I>('job.input', lease.id, row.input),
      progress: storedJson<P>(row.progress),
      lease,
    };
  });
}
