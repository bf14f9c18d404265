import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import { conflict, notFound } from '../../../lib/errors.ts';
import { formatId, type Id, parseId } from '../../../lib/ids.ts';
import { removeAsNeverJoined } from '../../entries/never-joined.ts';
import { takeOverJob } from '../../jobs/find-jobs.ts';
import {
  advanceJob,
  createJob,
  finishJob,
  type HeldJob,
  type JobKind,
  type JobLease,
  readProgress,
} from '../../jobs/jobs.ts';
import { startJob } from '../../jobs/start-job.ts';
import { changeQueue } from '../../queue/change-queue.ts';
import type { Context } from '../../queue/context.ts';
import type { Queue } from '../../queue/queue.ts';
import type { QueueChange } from '../../queue/queue-change.ts';
import { rerankStep } from '../../referrals/rerank.ts';
import { importing } from './import-chunk.ts';
import { cutRange, findKept, findObstacles, readLastRange } from './import-ranges.ts';

const UNDO_KIND = 'import-undo';
/** Entries per transaction: a few dozen milliseconds, so that signups do not wait long. */
const STEP = 500;

interface UndoInput {
  /** Public id of the import. */
  importId: string;
  /** When it began: invites before are not its own. */
  since: number;
  /** Whether its people were announced, so that their removal must be, too. */
  events: boolean;
}

interface UndoProgress {
  removed: number;
  kept: number;
  /** How many there were. */
  total: number;
}

/** Whether an import can be undone, and if not, why. */
export interface UndoState {
  isPossible: boolean;
  reason: string | null;
  /** The job that undoes it now. */
  jobId: Id<'job'> | null;
}

interface ImportFacts {
  id: Buffer;
  since: number;
  hasEnded: boolean;
  result: Record<string, unknown> | null;
}

export async function readUndoState(context: Context, queue: Queue, importId: string): Promise<UndoState> {
  const facts = await readFacts(context, queue, importId);
  const running = await findRunning(context, queue, importId);
  if (running) return { isPossible: false, reason: 'this import is being undone', jobId: running };
  const reason = await findReason(context, queue, facts);
  return { isPossible: reason === null, reason, jobId: null };
}

/**
 * Starts to remove everyone that an import added. A server does it, or the command line. One that the command line
 * left unfinished is continued by the next.
 */
export async function startUndo(
  context: Context,
  queue: Queue,
  importId: string,
  runner: 'server' | 'command-line',
): Promise<HeldJob<UndoInput, UndoProgress>> {
  const facts = await readFacts(context, queue, importId);
  const running = await findRunning(context, queue, importId);
  if (running && runner === 'command-line') return takeOverJob(context, queue, running, UNDO_KIND);
  const reason = running ? null : await findReason(context, queue, facts);
  if (reason !== null) throw conflict(reason);
  const input: UndoInput = { importId, since: facts.since, events: await sentEvents(context, queue, facts) };
  const total = Math.max(0, numberIn(facts.result, 'created') - numberIn(facts.result, 'undone'));
  const progress: UndoProgress = { removed: 0, kept: 0, total };
  const create = async (change: QueueChange): Promise<HeldJob<UndoInput, UndoProgress>> => {
    const other = await findRunning(context, queue, importId, change.trx);
    if (other) throw conflict(`this import is being undone by ${other}`);
    const job = { kind: UNDO_KIND, input, progress, total, subject: importId, runner } as const;
    const created = createJob(context, change, job);
    await context.audit?.(change.trx, {
      action: 'import.undone',
      object: { kind: 'job', id: importId },
      after: { environment: queue.environment, job: formatId('job', created.id) },
    });
    const { id } = created;
    return { id, publicId: formatId('job', id), kind: UNDO_KIND, input, progress, lease: created };
  };
  return startJob(context, queue, create, (jobId) => takeOverJob(context, queue, jobId, UNDO_KIND));
}

async function readFacts({ db }: Context, queue: Queue, importId: string): Promise<ImportFacts> {
  const id = parseId('job', importId);
  const row =
    id &&
    (await db.query
      .selectFrom('job')
      .select(['created_at', 'finished_at', 'result'])
      .where('queue_id', '=', queue.id)
      .where('id', '=', id)
      .where('kind', '=', 'import')
      .executeTakeFirst());
  if (!id || !row) throw notFound('there is no such import');
  const result = row.result === null ? null : (JSON.parse(row.result) as Record<string, unknown>);
  return { id, since: row.created_at, hasEnded: row.finished_at !== null, result };
}

function numberIn(result: Record<string, unknown> | null, name: string): number {
  return Number(result?.[name] ?? 0);
}

/** In the words that an operator reads. null if it can be undone. */
async function findReason(context: Context, queue: Queue, facts: ImportFacts): Promise<string | null> {
  const { id, since, hasEnded, result } = facts;
  if (result?.dryRun === true) return 'this was only a check: nothing was imported';
  if (!hasEnded) return 'this import has not ended: wait for it, or cancel it first';
  if (numberIn(result, 'created') === 0) return 'this import added nobody';
  const left = await readLastRange(context.db.query, queue, id);
  if (!left && numberIn(result, 'undone') > 0) return 'this import was undone already';
  if (!left) return 'this import ran before imports could be undone';
  const { invited, referrers } = await findObstacles(context, queue, id, since);
  const parts = [
    ...(invited > 0
      ? [`${count(invited)} of this import ${invited === 1 ? 'was' : 'were'} invited since`]
      : []),
    ...(referrers > 0 ? [`${count(referrers)} of it referred others who are not part of it`] : []),
  ];
  return parts.length === 0 ? null : `${parts.join(', and ')}: remove people one by one instead`;
}

function count(people: number): string {
  return people === 1 ? '1 person' : `${people} people`;
}

async function findRunning(
  { db }: Context,
  queue: Queue,
  importId: string,
  executor: Context['db']['query'] = db.query,
): Promise<Id<'job'> | null> {
  const row = await executor
    .selectFrom('job')
    .select('id')
    .where('queue_id', '=', queue.id)
    .where('kind', '=', UNDO_KIND)
    .where('subject', '=', importId)
    .where('finished_at', 'is', null)
    .executeTakeFirst();
  return row ? formatId('job', row.id) : null;
}

async function sentEvents({ db }: Context, queue: Queue, { id }: ImportFacts): Promise<boolean> {
  const { input } = await db.query
    .selectFrom('job')
    .select('input')
    .where('queue_id', '=', queue.id)
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return queue.vault.open<{ events?: boolean }>('job.input', id, input).events === true;
}

/** Its steps end with closing up the places: doing that beside it would renumber those behind again and again. */
export function isBeingUndone(queueId: Expression<number>, now: number): RawBuilder<SqlBool> {
  return sql`exists (select 1 from job where job.queue_id = ${queueId} and job.kind = ${UNDO_KIND}
    and job.finished_at is null and job.lease_until > ${now})`;
}

/** Removes the people of an import, the last ones first. */
export const undoImportJob: JobKind = {
  kind: UNDO_KIND,
  run: async (context, queue, job: HeldJob<UndoInput, UndoProgress>) => {
    await runUndo(context, queue, job);
  },
};

export async function runUndo(
  context: Context,
  queue: Queue,
  { lease, input }: Pick<HeldJob<UndoInput, UndoProgress>, 'lease' | 'input'>,
  watch: (progress: UndoProgress) => void = () => {},
): Promise<UndoProgress> {
  for (;;) {
    const step = await changeQueue(context, queue, (change) => undoStep(context, change, lease, input));
    await step.sendingOver();
    watch(step.progress);
    if (!step.isLast) continue;
    await context.db.wipeErased().catch(() => {}); // The removal is committed. Upkeep tries the wipe again.
    return step.progress;
  }
}

async function undoStep(
  context: Context,
  change: QueueChange,
  lease: JobLease,
  { importId, since, events }: UndoInput,
) {
  const { trx, queue } = change;
  const before = await readProgress<UndoProgress>(trx, queue, lease);
  const id = parseId('job', importId) as Buffer;
  const range = await readLastRange(trx, queue, id);
  if (!range) {
    if (await rerankStep(change)) {
      advanceJob(change, lease, before, { done: before.removed + before.kept });
      return { progress: before, isLast: false, sendingOver: async () => {} };
    }
    const done = before.removed + before.kept;
    finishJob(change, lease, before, { done, total: done, result: resultOf(before) });
    return { progress: before, isLast: true, sendingOver: async () => {} };
  }
  const part = { ...range, first_seq: Math.max(range.first_seq, range.last_seq - STEP + 1) };
  const kept = await findKept(change, id, part, since);
  const { removed, ids, sendingOver } = await removeAsNeverJoined(context, change, part, kept);
  const { record } = importing(change, events);
  for (const entryId of ids) record({ kind: 'entry.removed', entryId });
  await cutRange(change, id, range, part.first_seq);
  const progress = { ...before, removed: before.removed + removed, kept: before.kept + kept.size };
  await noteUndone(change, id, removed);
  const done = progress.removed + progress.kept;
  advanceJob(change, lease, progress, { done, result: resultOf(progress) });
  return { progress, isLast: false, sendingOver };
}

function resultOf({ removed, kept }: UndoProgress) {
  return { removed, kept };
}

/** Shown with the import. */
async function noteUndone({ trx, queue }: QueueChange, id: Buffer, removed: number): Promise<void> {
  const row = await trx
    .selectFrom('job')
    .select('result')
    .where('queue_id', '=', queue.id)
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) return;
  const result = JSON.parse(row.result ?? '{}') as Record<string, unknown>;
  const undone = numberIn(result, 'undone') + removed;
  trx.update('job', { key: ['queue_id', 'id'] }, [
    { queue_id: queue.id, id, result: JSON.stringify({ ...result, undone }) },
  ]);
}
