import path from 'node:path';
import { invalid } from '../../../lib/errors.ts';
import { formatId } from '../../../lib/ids.ts';
import { takeOverJob } from '../../jobs/find-jobs.ts';
import { createJob, workOnJob } from '../../jobs/jobs.ts';
import { changeQueue } from '../../queue/change-queue.ts';
import type { Context } from '../../queue/context.ts';
import type { Queue } from '../../queue/queue.ts';
import { type ColumnChoice, checkPreset, parseColumnMap } from '../files/columns.ts';
import { detectShape, type FileShape, type Format, identifyFile, openImportFile } from '../files/row-file.ts';
import type { Order } from '../files/row-order.ts';
import { checkImport } from './import-check.ts';
import { checkChoice, chooseOrder, type ImportPlan, needsSorting } from './import-plan.ts';
import { type ImportProgress, startOf } from './import-progress.ts';
import { type ImportResult, type OpenImport, runImport, type Watch } from './import-run.ts';

export interface ImportOptions {
  format?: Format;
  /** `column=field,…` */
  map?: string;
  preset?: string;
  dropUnmapped?: boolean;
  order?: Order;
  errorsFile?: string;
  /** Sends webhooks for imported people. */
  events?: boolean;
  /** Who vouches that the emails are confirmed. */
  confirmedBy?: string;
  /** Checks everything and writes nothing. */
  dryRun?: boolean;
}

const KIND = 'import';

/** Called as soon as the import has an id to resume it by. */
type Began = (jobId: string) => void;

export async function importFile(
  context: Context,
  queue: Queue,
  filePath: string,
  options: ImportOptions,
  watch: Watch = () => {},
  began: Began = () => {},
): Promise<ImportResult> {
  const file = await openImportFile(filePath);
  try {
    const shape = await detectShape(file, filePath, options.format);
    const partial = planImport(shape, options);
    const plan: ImportPlan = {
      ...partial,
      identity: await identifyFile(file),
      sorted: await needsSorting(file, partial),
      errorsFile: chooseErrorsFile(filePath, options.errorsFile),
    };
    if (options.dryRun) return await checkImport(context, queue, file, plan, watch);
    const begun = await beginJob(context, queue, plan);
    began(formatId('job', begun.lease.id));
    return await workOnJob(context, queue, begun.lease, () =>
      runImport(context, { ...begun, queue, file, plan }, watch),
    );
  } finally {
    await file.close();
  }
}

/** What can be decided without reading the whole file. */
export function planImport(
  shape: FileShape,
  options: ImportOptions,
): Omit<ImportPlan, 'identity' | 'sorted' | 'errorsFile'> {
  const choice: ColumnChoice = {
    map: parseColumnMap(options.map ?? ''),
    preset: options.preset === undefined ? null : checkPreset(options.preset),
    dropUnmapped: options.dropUnmapped ?? false,
    own: shape.own && options.map === undefined && options.preset === undefined,
  };
  checkChoice(shape, choice);
  return {
    shape,
    choice,
    order: chooseOrder(shape, choice, options.order),
    events: options.events ?? false,
    confirmedBy: options.confirmedBy ?? null,
  };
}

function chooseErrorsFile(filePath: string, wanted = `${filePath}.errors.jsonl`): string {
  const resolved = path.resolve(wanted);
  if (resolved === path.resolve(filePath)) throw invalid('errors: must not be the imported file');
  return resolved;
}

function beginJob(
  context: Context,
  queue: Queue,
  plan: ImportPlan,
): Promise<Pick<OpenImport, 'lease' | 'progress'>> {
  return changeQueue(context, queue, async (change) => {
    const progress = startOf(plan.shape, change.lastSeq);
    const lease = createJob(context, change, { kind: KIND, input: plan, progress, runner: 'command-line' });
    return { lease, progress };
  });
}

/** Resumes an interrupted import with its original options. The file must be the same. */
export async function resumeImport(
  context: Context,
  queue: Queue,
  filePath: string,
  jobId: string,
  watch: Watch = () => {},
): Promise<ImportResult> {
  const file = await openImportFile(filePath);
  try {
    const {
      lease,
      input: plan,
      progress,
    } = await takeOverJob<ImportPlan, ImportProgress>(context, queue, jobId, KIND);
    return await workOnJob(context, queue, lease, async () => {
      const { size, hash } = await identifyFile(file);
      if (size !== plan.identity.size || hash !== plan.identity.hash) {
        throw invalid(`${filePath} is not the file that ${jobId} started with, or has changed since`);
      }
      return runImport(context, { lease, queue, file, plan, progress }, watch);
    });
  } finally {
    await file.close();
  }
}
