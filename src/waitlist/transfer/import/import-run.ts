import { withSmallHeap } from '../../../lib/heap-growth.ts';
import { formatId, type Id } from '../../../lib/ids.ts';
import { oneAhead } from '../../../lib/promises.ts';
import { finishJob, type JobLease, readProgress } from '../../jobs/jobs.ts';
import { changeQueue } from '../../queue/change-queue.ts';
import type { Context } from '../../queue/context.ts';
import type { Queue } from '../../queue/queue.ts';
import type { ImportSource, RawRow, RowPosition } from '../files/raw-row.ts';
import { readRows } from '../files/row-file.ts';
import { indexRows } from '../files/row-order.ts';
import { type CheckedRows, checkRows } from './check-rows.ts';
import {
  BAD_ROWS_FULL,
  type BadRowsFile,
  badRowsHead,
  badRowsIn,
  describeBadRow,
  type ErrorsFile,
  openErrorsFile,
  openTextFile,
} from './errors-file.ts';
import { findTakenCodes, type ImportJob } from './import-candidate.ts';
import { commitChunk } from './import-chunk.ts';
import { linkReferrers } from './import-links.ts';
import { type Columns, type ImportPlan, readColumns } from './import-plan.ts';
import { addFound, type Found, type ImportProgress, resultOf } from './import-progress.ts';
import { type ImportReport, reportOn } from './import-report.ts';
import type { RowProblem } from './import-row.ts';

/** Rows per transaction: enough to share a commit, few enough that signups do not wait long. */
export const CHUNK = 1_000;
const CLEAN = 10_000;
/**
 * Without a running server to do this, the database would use plans for the tables as they were before the
 * import.
 */
const REFRESH_EVERY_MS = 1_000;

export interface ImportResult {
  /** null if nothing was written. */
  jobId: Id<'job'> | null;
  rows: number;
  created: number;
  skipped: number;
  failed: number;
  /** Rows that were imported although their referral code already belongs to someone else. */
  codesTaken: number;
  found: Found;
  errorsFile: string | null;
  badRowsFile: string | null;
  report: ImportReport;
}

/** The fraction of rows done. The later phases do not report any. */
export type Watch = (progress: ImportProgress, part: number) => void | Promise<void>;

export interface OpenImport {
  lease: JobLease;
  queue: Queue;
  file: ImportSource;
  plan: ImportPlan;
  progress: ImportProgress;
  /** Where to list bad rows. Default: the files that the plan names. */
  lists?: BadRowLists;
}

/** Where bad rows are listed, with their content or not. */
export interface BadRowLists {
  errors: ErrorsFile;
  rows: BadRowsFile | null;
}

/** Completes an import from its current progress. */
export function runImport(context: Context, open: OpenImport, watch: Watch): Promise<ImportResult> {
  return withSmallHeap(() => completeImport(context, open, watch));
}

async function completeImport(context: Context, open: OpenImport, watch: Watch): Promise<ImportResult> {
  const { lease, queue, plan } = open;
  const { id } = lease;
  const columns = readColumns(plan);
  const { events, confirmedBy } = plan;
  const job: ImportJob = { id, lease, queue, events, confirmedBy, hasCodes: columns.hasCodes };
  let { progress } = open;
  if (progress.phase === 'rows') progress = await importRows(context, job, open, columns, watch);
  if (progress.phase === 'links')
    progress = await linkReferrers(context, job, progress, (at) => void watch(at, 1));
  await clean(context, job);
  const { rows, created, skipped, failed, codesTaken, errorsBytes, rowsBytes, found } = progress;
  await changeQueue(context, queue, async (change) => {
    await readProgress(change.trx, queue, lease);
    finishJob(change, lease, progress, { done: rows, total: rows, result: resultOf(progress) });
  });
  const errorsFile = errorsBytes === 0 ? null : plan.errorsFile;
  const badRowsFile = rowsBytes === 0 ? null : plan.badRowsFile;
  const counts = { rows, created, skipped, failed, codesTaken, found };
  const report = reportOn(plan, counts);
  return { jobId: formatId('job', id), ...counts, errorsFile, badRowsFile, report };
}

/** Opens the files that the plan names. */
export async function openLists(
  { errorsFile, badRowsFile, shape }: ImportPlan,
  { errorsBytes, rowsBytes }: Pick<ImportProgress, 'errorsBytes' | 'rowsBytes'>,
): Promise<BadRowLists> {
  return {
    errors: await openErrorsFile(errorsFile, errorsBytes),
    rows:
      badRowsFile === null
        ? null
        : badRowsIn(await openTextFile(badRowsFile, rowsBytes, badRowsHead(shape), BAD_ROWS_FULL)),
  };
}

export async function closeLists({ errors, rows }: BadRowLists): Promise<void> {
  await errors.close();
  await rows?.close();
}

async function importRows(
  context: Context,
  job: ImportJob,
  { file, plan, progress: start, lists: given }: OpenImport,
  columns: Columns,
  watch: Watch,
): Promise<ImportProgress> {
  const lists = given ?? (await openLists(plan, start));
  let progress = start;
  let refreshedAt = performance.now();
  try {
    const chunks = checkedChunks(context, job, columns, chunksFrom(file, plan, columns, start));
    for await (const chunk of oneAhead(chunks)) {
      progress = await importChunk(context, job, progress, { lists, file }, chunk);
      await watch(progress, chunk.part);
      if (performance.now() - refreshedAt > REFRESH_EVERY_MS) {
        await context.db.refreshStatistics();
        refreshedAt = performance.now();
      }
    }
  } finally {
    await closeLists(lists);
  }
  await context.db.refreshStatistics();
  return commitChunk(context, job, progress, [], { phase: 'links', skipped: progress.skipped });
}

interface CheckedChunk extends Chunk {
  checked: CheckedRows;
}

async function* checkedChunks(
  context: Context,
  { queue, confirmedBy }: ImportJob,
  columns: Columns,
  chunks: AsyncGenerator<Chunk>,
): AsyncGenerator<CheckedChunk> {
  for await (const chunk of chunks)
    yield {
      ...chunk,
      checked: await checkRows(context, queue, columns, chunk.rows, { confirmed: confirmedBy !== null }),
    };
}

interface ImportFiles {
  lists: BadRowLists;
  file: ImportSource;
}

async function importChunk(
  context: Context,
  job: ImportJob,
  before: ImportProgress,
  { lists, file }: ImportFiles,
  { rows, checked, next }: CheckedChunk,
): Promise<ImportProgress> {
  const taken = await findTakenCodes(context, job.queue, checked.good);
  return commitChunk(context, job, before, checked.good, {
    rows: before.rows + rows.length,
    failed: before.failed + checked.bad.length,
    skipped: before.skipped + checked.nobody,
    codesTaken: before.codesTaken + taken.length,
    found: addFound(before.found, checked.found),
    ...(await listBadRows(file, lists, checked, taken)),
    next,
  });
}

/** Returns the new lengths of the lists. */
export async function listBadRows(
  file: ImportSource,
  { errors, rows }: BadRowLists,
  { bad, losses }: Pick<CheckedRows, 'bad' | 'losses'>,
  taken: readonly RowProblem[],
): Promise<{ errorsBytes: number; rowsBytes: number }> {
  const contents = rows
    ? await Promise.all(bad.map((each) => describeBadRow(file, each.raw, each.problems)))
    : [];
  return {
    errorsBytes: await errors.append([...bad.flatMap(({ problems }) => problems), ...losses, ...taken]),
    rowsBytes: (await rows?.append(contents)) ?? 0,
  };
}

interface Chunk {
  rows: RawRow[];
  /** Where the next chunk starts. */
  next: RowPosition;
  part: number;
}

/** The remaining rows, in the order in which they will join. */
export async function* chunksFrom(
  file: ImportSource,
  plan: Pick<ImportPlan, 'shape' | 'sorted' | 'identity'>,
  { keyOf }: Columns,
  { next, rows: done }: Pick<ImportProgress, 'next' | 'rows'>,
): AsyncGenerator<Chunk> {
  const { shape, identity } = plan;
  if (plan.sorted) {
    const index = await indexRows(file, shape, keyOf);
    try {
      await index.skip(done);
      for (let from = done; from < index.length; ) {
        const rows = await index.read();
        from += rows.length;
        yield { rows, next, part: from / index.length };
      }
    } finally {
      index.close();
    }
    return;
  }
  let waiting: RawRow[] = [];
  const take = (count: number): Chunk => {
    const rows = waiting.slice(0, count);
    waiting = waiting.slice(count);
    const last = rows.at(-1) as RawRow;
    return { rows, next: { offset: last.end, line: last.nextLine }, part: last.end / identity.size };
  };
  for await (const rows of readRows(file, shape, next)) {
    waiting = waiting.length === 0 ? rows : [...waiting, ...rows];
    while (waiting.length >= CHUNK) yield take(CHUNK);
  }
  if (waiting.length > 0) yield take(waiting.length);
}

/**
 * Deletes what only the links needed, in ranges of the primary key: with a list of keys, PostgreSQL compared each
 * row with each of them, until it had statistics about rows this new.
 */
async function clean({ db }: Context, { id, queue }: ImportJob): Promise<void> {
  for (const [table, key] of [
    ['import_code', 'code_hash'],
    ['import_link', 'seq'],
  ] as const) {
    for (let isMore = true; isMore; ) {
      const last = await db.query
        .selectFrom(table)
        .select((e) => e.ref(key as never).as('key'))
        .where('queue_id', '=', queue.id)
        .where('job_id', '=', id)
        .orderBy(key as never)
        .offset(CLEAN - 1)
        .limit(1)
        .executeTakeFirst();
      const rest = db.query.deleteFrom(table).where('queue_id', '=', queue.id).where('job_id', '=', id);
      await (last ? rest.where(key as never, '<=', last.key as never) : rest).execute();
      isMore = last !== undefined;
    }
  }
}
