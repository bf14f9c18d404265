import { sharedNow } from '../../../db/shared-clock.ts';
import { formatId, newId } from '../../../lib/ids.ts';
import {
  advanceJob,
  createJob,
  finishJob,
  type HeldJob,
  type JobKind,
  readProgress,
} from '../../jobs/jobs.ts';
import { changeQueue } from '../../queue/change-queue.ts';
import type { Context } from '../../queue/context.ts';
import type { Queue } from '../../queue/queue.ts';
import { detectShape, type Format } from '../files/row-file.ts';
import { checkImport } from './import-check.ts';
import { type ImportPlan, needsSorting } from './import-plan.ts';
import { type ImportProgress, startOf } from './import-progress.ts';
import { runImport } from './import-run.ts';
import { type ImportOptions, planImport } from './import-start.ts';
import { eraseUpload, storedErrors, storeUpload, uploadedFile } from './uploads.ts';

const KIND = 'import';

interface UploadOptions extends Omit<ImportOptions, 'errorsFile' | 'format'> {
  format: Format;
}

/** The options of an import that a server runs. */
interface UploadedImport extends Omit<ImportPlan, 'identity' | 'sorted' | 'errorsFile'> {
  size: number;
  dryRun: boolean;
}

/**
 * Stores an uploaded file, checks its columns, and creates the job that imports it. Returns its id. If anything
 * fails, nothing of the file is left.
 */
export async function startUploadedImport(
  context: Context,
  queue: Queue,
  bytes: AsyncIterable<Buffer>,
  options: UploadOptions,
): Promise<string> {
  const id = newId(await sharedNow(context));
  try {
    const { size, lines } = await storeUpload(context, queue, id, bytes);
    const file = uploadedFile(context, queue, id);
    const shape = await detectShape(file, 'the file', options.format);
    const plan = planImport(shape, options);
    const input: UploadedImport = { ...plan, size, dryRun: options.dryRun ?? false };
    await changeQueue(context, queue, async (change) => {
      const progress = startOf(shape, change.lastSeq);
      const total = Math.max(0, lines - (shape.format === 'csv' ? 1 : 0));
      createJob(context, change, { id, kind: KIND, input, progress, total, runner: 'server' });
      await context.audit?.(change.trx, {
        action: 'entries.imported',
        object: { kind: 'waitlist', id: queue.waitlist.id },
        after: {
          environment: queue.environment,
          job: formatId('job', id),
          ...(input.dryRun ? { dryRun: true } : {}),
        },
      });
    });
  } catch (error) {
    await eraseUpload(context.db.query, queue, id).catch(() => {}); // Upkeep deletes what is left.
    throw error;
  }
  return formatId('job', id);
}

/** Imports that were uploaded over the API. */
export const importJob: JobKind = {
  kind: KIND,
  run: async (context, queue, job: HeldJob<UploadedImport, ImportProgress>) => {
    const { lease, input, progress } = job;
    const file = uploadedFile(context, queue, lease.id);
    const { size, dryRun, ...rest } = input;
    const plan: ImportPlan = {
      ...rest,
      identity: { size, hash: '' },
      errorsFile: '',
      sorted: await needsSorting(file, rest),
    };
    const errors = await storedErrors(context, queue, lease.id, dryRun ? 0 : progress.errorsBytes);
    if (dryRun) await check(context, queue, job, plan, errors);
    else await runImport(context, { lease, queue, file, plan, progress, errors }, () => {});
    await eraseUpload(context.db.query, queue, lease.id);
  },
  cleanUp: ({ trx, queue }, id) => eraseUpload(trx, queue, id),
};

/** Starts over after a crash, because nothing was written. */
async function check(
  context: Context,
  queue: Queue,
  { lease, progress }: HeldJob<UploadedImport, ImportProgress>,
  plan: ImportPlan,
  errors: Awaited<ReturnType<typeof storedErrors>>,
): Promise<void> {
  const file = uploadedFile(context, queue, lease.id);
  const step = ({ rows }: { rows: number }) =>
    changeQueue(context, queue, async (change) => {
      await readProgress(change.trx, queue, lease);
      advanceJob(change, lease, progress, { done: rows });
    });
  const found = await checkImport(context, queue, file, plan, step, errors);
  const { rows, created, skipped, failed, codesTaken } = found;
  await changeQueue(context, queue, async (change) => {
    await readProgress(change.trx, queue, lease);
    const result = { rows, created, skipped, failed, codesTaken, dryRun: true };
    finishJob(change, lease, progress, { done: rows, total: rows, result });
  });
}
