import type { Database, Trx } from '../../db/database.ts';
import type { Status } from '../../db/tables.ts';
import { invalid } from '../../lib/errors.ts';
import { formatId, parseId } from '../../lib/ids.ts';
import { readEntries } from '../entries/browse-entries.ts';
import type { Entry } from '../entries/entry.ts';
import { type Segment, selectSegment } from '../entries/segment.ts';
import { countPages, requireExpected } from '../invites/preview-invites.ts';
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
import { serverGoesOn, startJob } from '../jobs/start-job.ts';
import { changeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { DECIDED_COLUMNS, DECIDING, decideAll, type How, requireEmailOn, type Verb } from './decide.ts';

/** People per transaction: few enough that signups do not wait long. */
const CHUNK = 500;
const KIND = 'decide';
const SHOWN = 10;
export const PEOPLE_NAMED_MAX = 200;

export interface Deciding {
  verb: Verb;
  /** A segment with the status of those it is about, or the ids of people. */
  who: { segment: Segment } | { entries: readonly string[] };
}

interface Input extends Deciding, How {
  /** Excludes everyone who joins after it started. */
  lastSeq: number;
  /** The number that a person confirmed. */
  most: number | null;
}

interface Progress {
  decided: number;
  /** Those whose data cannot be decrypted. */
  unreadable: number;
  after: number;
}

/** Of whom a decision is unless a segment says so. */
export function usualStatus(verb: Verb): Status {
  return DECIDING[verb].from[0] as Status;
}

export function requireDecline(verb: Verb, email: boolean | undefined): void {
  if (email !== undefined && verb !== 'decline') throw invalid('email: can only be combined with decline');
}

export function requireStatus(verb: Verb, status: Status): void {
  const { done, from } = DECIDING[verb];
  if (!from.includes(status))
    throw invalid(`status: people who are ${status} cannot be ${done}: only who is ${from.join(' or ')}`);
}

async function select(
  db: Database,
  executor: Database['query'] | Trx,
  queue: Queue,
  { verb, who }: Deciding,
  after: number,
) {
  const found =
    'segment' in who
      ? await selectSegment(db, executor, queue, who.segment, after)
      : (executor.selectFrom('entry as e') as unknown as Awaited<ReturnType<typeof selectSegment>>)
          .where('e.queue_id', '=', queue.id)
          .where((e) =>
            db.in(
              e.ref('e.id'),
              who.entries.map((id) => parseId('ent', id) ?? Buffer.alloc(0)),
            ),
          )
          .where('e.seq', '>', after)
          .orderBy('e.seq');
  const fitting = found.where('e.status', 'in', DECIDING[verb].from);
  return verb === 'approve' ? fitting.where('e.email_hash', 'is not', null) : fitting;
}

async function pageAfter(context: Context, queue: Queue, deciding: Deciding, after: number, limit: number) {
  const { db } = context;
  const rows = await (await select(db, db.query, queue, deciding, after))
    .select('e.seq')
    .limit(limit)
    .execute();
  return rows.map(({ seq }) => seq);
}

function countDecided(context: Context, queue: Queue, deciding: Deciding): Promise<number> {
  return countPages((after, limit) => pageAfter(context, queue, deciding, after, limit));
}

/** Whom it would be about now: how many, and the first of them. */
export async function previewDecision(
  context: Context,
  queue: Queue,
  deciding: Deciding,
): Promise<{ count: number; first: Entry[] }> {
  const first = await pageAfter(context, queue, deciding, 0, SHOWN);
  return {
    count: await countDecided(context, queue, deciding),
    first: await readEntries(context, queue, first),
  };
}

type NewDecision = Deciding & {
  note: string | null;
  email?: boolean | undefined;
  expect?: number | undefined;
};

async function create(
  context: Context,
  queue: Queue,
  { verb, who, note, email = false, expect }: NewDecision,
  held: boolean,
): Promise<{ lease: JobLease; input: Input }> {
  const total = await countDecided(context, queue, { verb, who });
  requireExpected(total, expect, DECIDING[verb].done);
  const start = async (change: QueueChange) => {
    if (email) requireEmailOn(change);
    const by = context.actor ?? null;
    const input: Input = { verb, who, note, by, email, lastSeq: change.lastSeq, most: expect ?? null };
    const progress: Progress = { decided: 0, unreadable: 0, after: 0 };
    const lease = createJob(context, change, { kind: KIND, input, progress, total, runner: 'server', held });
    await context.audit?.(change.trx, {
      action: 'decisions.started',
      object: { kind: 'job', id: formatId('job', lease.id) },
      after: { decision: DECIDING[verb].done, entries: total, ...(email && { email }) },
    });
    return { lease, input };
  };
  return startJob(context, queue, start, serverGoesOn);
}

/** A server does it. */
export async function startDeciding(
  context: Context,
  queue: Queue,
  decision: NewDecision,
): Promise<{ id: Buffer }> {
  return (await create(context, queue, decision, false)).lease;
}

/** The caller does it. If it dies, a server goes on. */
export async function decideMany(context: Context, queue: Queue, decision: NewDecision): Promise<Progress> {
  const { lease, input } = await create(context, queue, decision, true);
  return workOnJob(context, queue, lease, () => run(context, queue, lease, input));
}

export const decideJob: JobKind = {
  kind: KIND,
  run: async (context, queue, { lease, input }: HeldJob<Input>) => {
    await run(context, queue, lease, input);
  },
};

async function run(context: Context, queue: Queue, lease: JobLease, input: Input): Promise<Progress> {
  for (;;) {
    const { progress, isLast } = await changeQueue(context, queue, (change) =>
      step(context, change, lease, input),
    );
    if (isLast) return progress;
  }
}

async function step(context: Context, change: QueueChange, lease: JobLease, input: Input) {
  const { trx, queue } = change;
  const before = await readProgress<Progress>(trx, queue, lease);
  const wanted = Math.min(CHUNK, (input.most ?? Number.POSITIVE_INFINITY) - before.decided);
  const rows = await (await select(context.db, trx, queue, input, before.after))
    .select(DECIDED_COLUMNS)
    .where('e.seq', '<=', input.lastSeq)
    .limit(wanted)
    .execute();
  const decided = await decideAll(context, change, rows, input.verb, input);
  const progress: Progress = {
    decided: before.decided + decided,
    unreadable: before.unreadable + rows.length - decided,
    after: rows.at(-1)?.seq ?? before.after,
  };
  const isLast = rows.length < wanted || progress.decided === input.most;
  const counts = {
    done: progress.decided,
    result: { decided: progress.decided, unreadable: progress.unreadable },
  };
  if (isLast) finishJob(change, lease, progress, counts);
  else advanceJob(change, lease, progress, counts);
  return { progress, isLast };
}
