import type { Trx } from '../../db/database.ts';
import { invalid, notFound } from '../../errors.ts';
import { formatId, newId, parseId } from '../../ids.ts';
import type { Context } from './context.ts';
import type { Queue } from './directory.ts';
import type { QueueChange } from './queue-change.ts';

/** Long work on a queue that can stop at any moment and continue from its last commit. */
export interface Job<Input = unknown, Progress = unknown> {
  readonly id: Buffer;
  /** With its prefix: job_… */
  readonly publicId: string;
  readonly kind: string;
  readonly input: Input;
  readonly progress: Progress;
}

/** Creates a job with a sealed input. Its progress is `null` until `advanceJob` writes one. */
export function createJob(change: QueueChange, kind: string, input: unknown): { id: Buffer } {
  const { trx, queue, now } = change;
  const id = newId(now);
  trx.insert('job', [
    {
      queue_id: queue.id,
      id,
      kind,
      input: queue.vault.seal('job.input', id, input),
      progress: 'null',
      created_at: now,
      updated_at: now,
      finished_at: null,
    },
  ]);
  return { id };
}

/** Records progress in the transaction of a step. `progress` must not contain personal data. */
export function advanceJob(change: QueueChange, id: Buffer, progress: unknown): void {
  writeProgress(change, id, progress, null);
}

export function finishJob(change: QueueChange, id: Buffer, progress: unknown): void {
  writeProgress(change, id, progress, change.now);
}

function writeProgress(
  { trx, queue, now }: QueueChange,
  id: Buffer,
  progress: unknown,
  finishedAt: number | null,
): void {
  const row = {
    queue_id: queue.id,
    id,
    progress: JSON.stringify(progress),
    updated_at: now,
    finished_at: finishedAt,
  };
  trx.update('job', { key: ['queue_id', 'id'] }, [row]);
}

/**
 * Reads the progress of an unfinished job under the queue's lock. If it differs from what the last step
 * wrote, another process is working on the same job. Returns undefined if the job is finished.
 */
export async function readProgress<P>(trx: Trx, queue: Queue, id: Buffer): Promise<P | undefined> {
  const row = await trx
    .selectFrom('job')
    .select('progress')
    .where('queue_id', '=', queue.id)
    .where('id', '=', id)
    .where('finished_at', 'is', null)
    .executeTakeFirst();
  return row && (JSON.parse(row.progress) as P);
}

/** Finds the unfinished job with this id (job_…), or else the newest one, optionally of one kind. */
export async function findOpenJob<I = unknown, P = unknown>(
  { db }: Context,
  queue: Queue,
  id?: string,
  kind?: string,
): Promise<Job<I, P>> {
  const wanted = id === undefined ? undefined : parseId('job', id);
  if (id !== undefined && !wanted) throw invalid('job id: must look like job_…');
  let query = db.query
    .selectFrom('job')
    .select(['id', 'kind', 'input', 'progress'])
    .where('queue_id', '=', queue.id)
    .where('finished_at', 'is', null);
  if (wanted) query = query.where('id', '=', wanted);
  if (kind !== undefined) query = query.where('kind', '=', kind);
  const row = await query.orderBy('id', 'desc').limit(1).executeTakeFirst();
  if (!row) throw notFound(`there is no unfinished job${id === undefined ? '' : ` ${id}`} on this waitlist`);
  const found = Buffer.from(row.id);
  return {
    id: found,
    publicId: formatId('job', found),
    kind: row.kind,
    input: queue.vault.open<I>('job.input', found, row.input),
    progress: JSON.parse(row.progress) as P,
  };
}
