import path from 'node:path';
import { invalid } from '../../../lib/errors.ts';
import { formatId } from '../../../lib/ids.ts';
import { takeOverJob } from '../../jobs/find-jobs.ts';
import { createJob, workOnJob } from '../../jobs/jobs.ts';
import { startJob } from '../../jobs/start-job.ts';
import type { Context } from '../../queue/context.ts';
import type { Queue } from '../../queue/queue.ts';
import { type ColumnChoice, checkPreset, parseColumnMap, recognizeService } from '../files/columns.ts';
import { detectShape } from '../files/file-shape.ts';
import type { ImportSource } from '../files/raw-row.ts';
import { type FileShape, type Format, identifyFile, openImportFile } from '../files/row-file.ts';
import type { Order } from '../files/row-order.ts';
import { surveyFile, type TimeWishes } from '../files/survey.ts';
import type { TimeFormat } from '../files/times.ts';
import { findZone } from '../files/zones.ts';
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
  /** How times are written, and the zone of those that have none. Default: what the file says. */
  timeFormat?: TimeFormat;
  timeZone?: string;
  errorsFile?: string;
  /** Where to write bad rows with their content, as CSV. */
  badRowsFile?: string;
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
    const partial = await planImport(file, shape, options);
    const plan: ImportPlan = {
      ...partial,
      identity: await identifyFile(file),
      sorted: await needsSorting(file, partial),
      errorsFile: chooseErrorsFile(filePath, options.errorsFile),
      badRowsFile: chooseBadRowsFile(filePath, options.badRowsFile),
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

/** Decides how a file is read. Reads it once. */
export async function planImport(
  file: ImportSource,
  found: FileShape,
  options: ImportOptions,
): Promise<Omit<ImportPlan, 'identity' | 'sorted' | 'errorsFile'>> {
  const choice = chooseFrom(found, options);
  if (found.format === 'csv') checkChoice(found, choice);
  const { rows, columns, times } = await surveyFile(file, found, choice, wishesOf(options));
  const shape = { ...found, columns };
  checkChoice(shape, choice);
  return {
    shape,
    choice,
    order: chooseOrder(shape, choice, options.order),
    times,
    rows,
    events: options.events ?? false,
    confirmedBy: options.confirmedBy ?? null,
  };
}

export function chooseFrom(
  shape: FileShape,
  { map = '', preset, dropUnmapped = false }: Pick<ImportOptions, 'map' | 'preset' | 'dropUnmapped'>,
): ColumnChoice {
  const own = shape.own && preset === undefined;
  const recognized = own ? null : recognizeService(shape.columns);
  return {
    map: parseColumnMap(map),
    preset: preset === undefined ? recognized : checkPreset(preset),
    dropUnmapped,
    own,
  };
}

export function wishesOf({
  timeFormat = undefined,
  timeZone = undefined,
}: Pick<ImportOptions, 'timeFormat' | 'timeZone'>): TimeWishes {
  const zone = timeZone === undefined ? null : findZone(timeZone);
  if (zone === undefined) throw invalid('timeZone: must be a time zone such as Europe/Berlin, PST or +02:00');
  return { format: timeFormat ?? null, zone: zone?.name ?? null };
}

function chooseErrorsFile(filePath: string, wanted = `${filePath}.errors.jsonl`): string {
  const resolved = path.resolve(wanted);
  if (resolved === path.resolve(filePath)) throw invalid('errors: must not be the imported file');
  return resolved;
}

function chooseBadRowsFile(filePath: string, wanted: string | undefined): string | null {
  if (wanted === undefined) return null;
  const resolved = path.resolve(wanted);
  if (resolved === path.resolve(filePath)) throw invalid('badRows: must not be the imported file');
  return resolved;
}

function beginJob(
  context: Context,
  queue: Queue,
  plan: ImportPlan,
): Promise<Pick<OpenImport, 'lease' | 'progress'>> {
  return startJob<Pick<OpenImport, 'lease' | 'progress'>>(
    context,
    queue,
    async (change) => {
      const progress = startOf(plan.shape, change.lastSeq);
      const total = plan.rows ?? null;
      const job = { kind: KIND, input: plan, progress, total, runner: 'command-line' } as const;
      return { lease: createJob(context, change, job), progress };
    },
    (jobId) => takeOverJob(context, queue, jobId, KIND),
  );
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
