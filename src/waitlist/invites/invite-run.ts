import type { ExpressionBuilder } from 'kysely';
import { sharedNow } from '../../db/shared-clock.ts';
import type { Tables } from '../../db/tables.ts';
import { invalid } from '../../errors.ts';
import { formatId, type Id } from '../../ids.ts';
import { Unreadable } from '../../vault/crypto.ts';
import { type Segment, selectSegment } from '../entries/segment.ts';
import type { Person } from '../people/person.ts';
import { changeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/directory.ts';
import { advanceJob, createJob, findOpenJob, finishJob, readProgress } from '../queue/jobs.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { checkExpiry, type Expiry, type Invitee, inviteAll } from './create-invites.ts';

/** Invites per transaction: few enough that signups do not wait long. */
const CHUNK = 500;

/** The first entries of the queue, or all waiting entries of a segment. */
export type Selection = { first: number } | { segment: Segment };

interface RunInput {
  selection: Selection;
  expiry: number | null | 'standard';
  /** Excludes everyone who joins or returns after the run started. */
  lastSeq: number;
  startedAt: number;
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
 * Invites many people in steps. Each step and its progress are one transaction: after a crash,
 * `resumeInviteRun` continues with the next step, and nobody is left out or invited twice.
 */
export async function startInviteRun(
  context: Context,
  queue: Queue,
  selection: Selection,
  expiresAt: Expiry,
  onProgress?: (progress: RunProgress) => void,
): Promise<RunResult> {
  if ('first' in selection && (!Number.isInteger(selection.first) || selection.first < 1)) {
    throw invalid('first: must be a whole number from 1');
  }
  const { id, input } = await changeQueue(context, queue, async (change) => {
    checkExpiry(expiresAt, change.now);
    const input: RunInput = {
      selection,
      expiry: expiresAt === undefined ? 'standard' : expiresAt,
      lastSeq: change.lastSeq,
      startedAt: change.now,
    };
    const { id } = createJob(change, 'invite', input);
    advanceJob(change, id, { invited: 0, unreadable: [], after: 0 } satisfies RunProgress);
    return { id, input };
  });
  return continueRun(context, queue, id, input, onProgress);
}

export async function resumeInviteRun(
  context: Context,
  queue: Queue,
  jobId?: string,
  onProgress?: (progress: RunProgress) => void,
): Promise<RunResult> {
  const job = await findOpenJob<RunInput, RunProgress>(context, queue, jobId, 'invite');
  const { expiry } = job.input;
  if (typeof expiry === 'number' && expiry <= (await sharedNow(context))) {
    throw invalid(`${job.publicId}: its invites would already have expired; start a new run`);
  }
  return continueRun(context, queue, job.id, job.input, onProgress);
}

async function continueRun(
  context: Context,
  queue: Queue,
  id: Buffer,
  input: RunInput,
  onProgress: (progress: RunProgress) => void = () => {},
): Promise<RunResult> {
  const requested = 'first' in input.selection ? input.selection.first : null;
  for (;;) {
    const step = await changeQueue(context, queue, (change) => inviteStep(context, change, id, input));
    onProgress(step.progress);
    if (step.done) return { jobId: formatId('job', id), requested, ...step.progress };
  }
}

interface Step {
  done: boolean;
  progress: RunProgress;
}

async function inviteStep(context: Context, change: QueueChange, id: Buffer, input: RunInput): Promise<Step> {
  const before = await readProgress<RunProgress>(change.trx, change.queue, id);
  if (!before) return { done: true, progress: await finalProgress(change, id) };
  const { selection } = input;
  const wanted = 'first' in selection ? Math.min(CHUNK, selection.first - before.invited) : CHUNK;
  const picked = await pick(context, change, input, before, wanted);
  const invitees = picked.flatMap((row) => toInvitee(context, change.queue, row) ?? []);
  const invited = new Set(invitees.map(({ entry }) => entry?.seq));
  const unreadable = picked.map(({ seq }) => seq).filter((seq) => !invited.has(seq));
  await inviteAll(change, invitees, input.expiry === 'standard' ? undefined : input.expiry);
  const progress: RunProgress = {
    invited: before.invited + invitees.length,
    unreadable: [...before.unreadable, ...unreadable],
    after: 'first' in selection ? 0 : (picked.at(-1)?.seq ?? before.after),
  };
  const done = picked.length < wanted || ('first' in selection && progress.invited >= selection.first);
  if (done) finishJob(change, id, progress);
  else advanceJob(change, id, progress);
  return { done, progress };
}

/** The final progress, if another process working on the same run has finished it. */
async function finalProgress({ trx, queue }: QueueChange, id: Buffer): Promise<RunProgress> {
  const { progress } = await trx
    .selectFrom('job')
    .select('progress')
    .where('queue_id', '=', queue.id)
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return JSON.parse(progress) as RunProgress;
}

interface PickedRow {
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
function toInvitee(
  { log }: Context,
  queue: Queue,
  { seq, id, rank, email_hash, person }: PickedRow,
): Invitee | undefined {
  if (!email_hash || !person) throw new Error('an entry with an email has a person');
  try {
    const { email } = queue.vault.open<Person>('entry.person', id, person);
    return { email: email ?? '', emailHash: email_hash, entry: { seq, status: 'waiting', rank } };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    const entry = formatId('ent', id);
    log.error({ queue: queue.id, entry }, 'cannot decrypt an entry: it was not invited');
    return undefined;
  }
}
