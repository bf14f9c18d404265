import type { ExpressionBuilder } from 'kysely';
import { sharedNow } from '../../db/shared-clock.ts';
import type { JobRunner, Tables } from '../../db/tables.ts';
import { invalid } from '../../lib/errors.ts';
import { formatId, type Id } from '../../lib/ids.ts';
import { type Segment, selectSegment } from '../entries/segment.ts';
import { takeOverJob } from '../jobs/find-jobs.ts';
import {
  advanceJob,
  createJob,
  finishJob,
  type HeldJob,
  type JobKind,
  type JobLease,
  readProgress,
  workOnJob,
} from '../jobs/jobs.ts';
import { startJob } from '../jobs/start-job.ts';
import type { Person } from '../people/person.ts';
import { changeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import { type Expiry, expiryAt, type Lifetime } from '../queue/expiry.ts';
import type { Queue } from '../queue/queue.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { readable } from '../queue/readable.ts';
import { type Invitee, inviteAll } from './create-invites.ts';

/** Invites per transaction: few enough that signups do not wait long. */
const CHUNK = 500;
const KIND = 'invite';

/** The first entries of the queue, or all waiting entries of a segment. */
export type Selection = { first: number } | { segment: Segment };

interface RunInput {
  selection: Selection;
  expiry: number | null | 'standard';
  /** Excludes everyone who joins or returns after the run started. */
  lastSeq: number;
  startedAt: number;
  /** Stops there, whoever confirms or returns during the run. */
  most?: number;
}

export interface RunProgress {
  invited: number;
  /** Joining sequences of entries that could not be invited because their sealed data is unreadable. */
  unreadable: number[];
  /** How far the run has walked a segment. */
  after: number;
}

export interface RunResult extends RunProgress {
  jobId: Id<'job'>;
  /** How many were requested, or null for a segment, which means everyone in it. */
  requested: number | null;
}

/**
 * Invites many people in steps, while the caller waits. Each step and its progress are one transaction: after
 * a crash, `resumeInviteRun` continues with the next step, and nobody is left out or invited twice.
 */
export async function startInviteRun(
  context: Context,
  queue: Queue,
  selection: Selection,
  expiresAt: Expiry,
  onProgress?: (progress: RunProgress) => void,
): Promise<RunResult> {
  const { lease, input } = await startJob<{ lease: JobLease; input: RunInput }>(
    context,
    queue,
    (change) => createInviteRun(context, change, { selection, expiresAt, runner: 'command-line' }),
    (jobId) => takeOverJob(context, queue, jobId, KIND),
  );
  return workOnJob(context, queue, lease, () => continueRun(context, queue, lease, input, onProgress));
}

interface NewRun {
  selection: Selection;
  expiresAt: Expiry | Lifetime;
  runner: JobRunner;
  /** How many will be invited, if known. */
  total?: number;
  /** The number that a person confirmed. */
  most?: number | undefined;
}

export async function createInviteRun(
  context: Context,
  change: QueueChange,
  { selection, expiresAt, runner, total, most }: NewRun,
): Promise<{ lease: JobLease; input: RunInput }> {
  if ('first' in selection && (!Number.isInteger(selection.first) || selection.first < 1)) {
    throw invalid('first: must be a whole number from 1');
  }
  const expiry = expiryAt(expiresAt, change.now);
  const input: RunInput = {
    selection,
    expiry: expiry === undefined ? 'standard' : expiry,
    lastSeq: change.lastSeq,
    startedAt: change.now,
    ...(most === undefined ? {} : { most }),
  };
  const progress: RunProgress = { invited: 0, unreadable: [], after: 0 };
  const known = total ?? ('first' in selection ? selection.first : null);
  const lease = createJob(context, change, { kind: KIND, input, progress, runner, total: known });
  const object = { kind: 'job', id: formatId('job', lease.id) } as const;
  await context.audit?.(change.trx, { action: 'invites.started', object });
  return { lease, input };
}

/** Runs that were started over the API. */
export const inviteJob: JobKind = {
  kind: KIND,
  run: async (context, queue, { lease, input }: HeldJob<RunInput>) => {
    requireOpenExpiry(input, await sharedNow(context));
    await continueRun(context, queue, lease, input);
  },
};

export async function resumeInviteRun(
  context: Context,
  queue: Queue,
  jobId?: string,
  onProgress?: (progress: RunProgress) => void,
): Promise<RunResult> {
  const { lease, input } = await takeOverJob<RunInput, RunProgress>(context, queue, jobId, KIND);
  return workOnJob(context, queue, lease, async () => {
    requireOpenExpiry(input, await sharedNow(context));
    return continueRun(context, queue, lease, input, onProgress);
  });
}

function requireOpenExpiry({ expiry }: RunInput, now: number): void {
  if (typeof expiry === 'number' && expiry <= now)
    throw invalid('its invites would already have expired; start a new run');
}

async function continueRun(
  context: Context,
  queue: Queue,
  lease: JobLease,
  input: RunInput,
  onProgress: (progress: RunProgress) => void = () => {},
): Promise<RunResult> {
  const requested = 'first' in input.selection ? input.selection.first : null;
  for (;;) {
    const step = await changeQueue(context, queue, (change) => inviteStep(context, change, lease, input));
    onProgress(step.progress);
    if (step.done) return { jobId: formatId('job', lease.id), requested, ...step.progress };
  }
}

interface Step {
  done: boolean;
  progress: RunProgress;
}

async function inviteStep(
  context: Context,
  change: QueueChange,
  lease: JobLease,
  input: RunInput,
): Promise<Step> {
  const before = await readProgress<RunProgress>(change.trx, change.queue, lease);
  const { selection } = input;
  const most = mostOf(input);
  const wanted = Math.min(CHUNK, most - before.invited);
  const picked = await pick(context, change, input, before, wanted);
  const invitees = picked.flatMap((row) => toInvitee(context, change.queue, row) ?? []);
  const seqs = new Set(invitees.map(({ entry }) => entry?.seq));
  const unreadable = picked.map(({ seq }) => seq).filter((seq) => !seqs.has(seq));
  await inviteAll(change, invitees, input.expiry === 'standard' ? undefined : input.expiry);
  const invited = before.invited + invitees.length;
  const progress: RunProgress = {
    invited,
    unreadable: [...before.unreadable, ...unreadable],
    after: 'first' in selection ? 0 : (picked.at(-1)?.seq ?? before.after),
  };
  const done = picked.length < wanted || invited >= most;
  const result = { invited, unreadable: progress.unreadable.length };
  if (done) finishJob(change, lease, progress, { done: invited, result });
  else advanceJob(change, lease, progress, { done: invited, result });
  return { done, progress };
}

function mostOf({ selection, most = Number.POSITIVE_INFINITY }: RunInput): number {
  return 'first' in selection ? Math.min(selection.first, most) : most;
}

export interface PickedRow {
  seq: number;
  id: Uint8Array;
  rank: number;
  email_hash: Uint8Array | null;
  person: Uint8Array | null;
}

/** Only waiting entries with an email can be invited. Those invited by an earlier step no longer wait. */
async function pick(
  { db }: Context,
  { trx, queue }: QueueChange,
  { selection, lastSeq, startedAt }: RunInput,
  { after, unreadable }: RunProgress,
  limit: number,
): Promise<PickedRow[]> {
  if (limit <= 0) return [];
  const entries =
    'first' in selection
      ? trx
          .selectFrom('entry as e')
          .where('e.queue_id', '=', queue.id)
          .orderBy('e.rank')
          .orderBy('e.seq', 'desc')
      : await selectSegment(db, trx, queue, selection.segment, after);
  return (entries as Awaited<ReturnType<typeof selectSegment>>)
    .select(['e.seq', 'e.id', 'e.rank', 'e.email_hash', 'e.person'])
    .where('e.status', '=', 'waiting')
    .where('e.seq', '<=', lastSeq)
    .where('e.email_hash', 'is not', null)
    .where((x) => x.not(db.in(x.ref('e.seq'), unreadable)))
    .where((x) => x.not(x.exists(endedSince(x, startedAt))))
    .limit(limit)
    .execute();
}

/** If a person's invite was revoked or expired during the run, the run must not invite them again. */
function endedSince(entries: ExpressionBuilder<Tables & { e: Tables['entry'] }, 'e'>, startedAt: number) {
  return entries
    .selectFrom('invite as i')
    .select('i.id')
    .whereRef('i.queue_id', '=', 'e.queue_id')
    .whereRef('i.email_hash', '=', 'e.email_hash')
    .where((i) => i.or([i('i.revoked_at', '>', startedAt), i('i.expired_at', '>', startedAt)]));
}

/** Returns undefined if unreadable: one damaged row must not hold up everyone behind it. */
export function toInvitee(
  { log }: Context,
  queue: Queue,
  { seq, id, rank, email_hash, person }: PickedRow,
): Invitee | undefined {
  if (!email_hash || !person) throw new Error('an entry with an email has a person');
  const reason = 'cannot decrypt an entry: it was not invited';
  const stored = { what: 'entry', id: formatId('ent', id), queue: queue.id, reason } as const;
  return readable({ log }, stored, () => {
    const { email } = queue.vault.open<Person>('entry.person', id, person);
    return { email: email ?? '', emailHash: email_hash, entry: { seq, status: 'waiting', rank } };
  });
}
