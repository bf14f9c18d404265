import { sharedNow } from '../../../db/shared-clock.ts';
import { DoorlistError, notFound } from '../../../lib/errors.ts';
import { parseId } from '../../../lib/ids.ts';
import { type JobSummary, readJob } from '../../jobs/find-jobs.ts';
import { FILE_MS } from '../../jobs/jobs.ts';
import type { Context } from '../../queue/context.ts';
import type { Queue } from '../../queue/queue.ts';
import { badRowsHead } from './errors-file.ts';
import type { ImportPlan } from './import-plan.ts';
import { NOTHING_FOUND } from './import-progress.ts';
import { type ImportReport, reportOn } from './import-report.ts';
import { readUndoState, type UndoState } from './undo-import.ts';
import { readText } from './uploads.ts';

interface FoundImport {
  id: Buffer;
  job: JobSummary;
}

/** Finds an import or a check by its public id. */
export async function findImport(context: Context, queue: Queue, jobId: string): Promise<FoundImport> {
  const id = parseId('job', jobId);
  const job = id && (await readJob(context, jobId));
  if (!id || job?.kind !== 'import' || job.queue.id !== queue.id) throw notFound('there is no such import');
  return { id, job };
}

async function openPlan({ db }: Context, queue: Queue, id: Buffer): Promise<ImportPlan> {
  const { input } = await db.query
    .selectFrom('job')
    .select('input')
    .where('queue_id', '=', queue.id)
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return queue.vault.open<ImportPlan>('job.input', id, input);
}

/** An import with what its file was taken for. */
export async function readImport(
  context: Context,
  queue: Queue,
  jobId: string,
): Promise<{ job: JobSummary; report: ImportReport; undo: UndoState }> {
  const { id, job } = await findImport(context, queue, jobId);
  const plan = await openPlan(context, queue, id);
  const undo = await readUndoState(context, queue, jobId);
  const rows = Number(job.result?.rows ?? 0);
  const found = { ...NOTHING_FOUND, ...(job.result?.found as object | undefined) };
  return { job, report: reportOn(plan, job.result ? { rows, found } : undefined), undo };
}

/** The bad rows of an import with their content, as CSV. Each time is recorded. */
export async function openBadRows(
  context: Context,
  queue: Queue,
  jobId: string,
): Promise<AsyncGenerator<Buffer>> {
  const { id, job } = await findImport(context, queue, jobId);
  if ((await sharedNow(context)) - job.createdAt > FILE_MS)
    throw new DoorlistError('expired', 'bad rows are kept for 24 hours: import the file again');
  const head = badRowsHead((await openPlan(context, queue, id)).shape);
  await context.db.transaction(async (trx) => {
    await context.audit?.(trx, { action: 'import.rows_read', object: { kind: 'job', id: jobId } });
  });
  return withHead(head, readText(context, queue, id, 'rows'));
}

async function* withHead(head: string, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield Buffer.from(head);
  yield* rest;
}
