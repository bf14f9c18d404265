import { sharedNow } from '../../../db/shared-clock.ts';
import { withSmallHeap } from '../../../lib/heap-growth.ts';
import { formatId, newIdOf } from '../../../lib/ids.ts';
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
import { detectShape } from '../files/file-shape.ts';
import type { Format } from '../files/row-file.ts';
import { BAD_ROWS_FULL, badRowsIn, errorsIn } from './errors-file.ts';
import { checkImport } from './import-check.ts';
import { type ImportPlan, needsSorting } from './import-plan.ts';
import { type ImportProgress, startOf } from './import-progress.ts';
import { type BadRowLists, runImport } from './import-run.ts';
import { type ImportOptions, planImport } from './import-start.ts';
import { eraseUpload, storedText, storeUpload, uploadedFile } from './uploads.ts';

const KIND = 'import';

interface UploadOptions extends Omit<ImportOptions, 'errorsFile' | 'badRowsFile' | 'format'> {
  format: Format;
}

/** The options of an import that a server runs. */
interface UploadedImport extends Omit<ImportPlan, 'identity' | 'sorted' | 'errorsFile' | 'badRowsFile'> {
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
  const id = newIdOf(queue.id, await sharedNow(context));
  const outside = context.held?.outside ?? context;
  try {
    const size = await storeUpload(outside, queue, id, bytes);
    const file = uploadedFile(outside, queue, id);
    const shape = await detectShape(file, 'the file', options.format);
    const plan = await withSmallHeap(() => planImport(file, shape, options));
    const input: UploadedImport = { ...plan, size, dryRun: options.dryRun ?? false };
    await changeQueue(context, queue, async (change) => {
      const progress = startOf(shape, change.lastSeq);
      const total = plan.rows;
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
    await eraseUpload(outside.db.query, queue, id).catch(() => {}); // Upkeep deletes what is left.
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
      badRowsFile: null,
      sorted: await withSmallHeap(() => needsSorting(file, rest)),
    };
    const { errorsBytes, rowsBytes } = dryRun ? { errorsBytes: 0, rowsBytes: 0 } : progress;
    const lists: BadRowLists = {
      errors: errorsIn(await storedText(context, queue, lease.id, 'errors', errorsBytes)),
      rows: badRowsIn(await storedText(context, queue, lease.id, 'rows', rowsBytes, BAD_ROWS_FULL)),
    };
    if (dryRun) await check(context, queue, job, plan, lists);
    else await runImport(context, { lease, queue, file, plan, progress, lists }, () => {});
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
  lists: BadRowLists,
): Promise<void> {
  const file = uploadedFile(context, queue, lease.id);
  const step = ({ rows }: { rows: number }) =>
    changeQueue(context, queue, async (change) => {
      await readProgress(change.trx, queue, lease);
      advanceJob(change, lease, progress, { done: rows });
    });
  const checked = await checkImport(context, queue, file, plan, step, lists);
  const { rows, created, skipped, failed, codesTaken, found } = checked;
  await changeQueue(context, queue, async (change) => {
    await readProgress(change.trx, queue, lease);
    const result = { rows, created, skipped, failed, codesTaken, found, dryRun: true };
    finishJob(change, lease, progress, { done: rows, total: rows, result });
  });
}
