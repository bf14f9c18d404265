import type { ExpressionBuilder } from 'kysely';
import type { Database, Trx } from '../db/database.ts';
import type { Tables } from '../db/tables.ts';
import { formatId, oldestId } from '../lib/ids.ts';
import { isoTime } from '../lib/time.ts';
import { makeDue } from '../outbox/resend.ts';
import {
  advanceJob,
  createJob,
  finishJob,
  type HeldJob,
  type JobKind,
  type JobLease,
  readProgress,
  workOnJob,
} from '../waitlist/jobs/jobs.ts';
import { serverGoesOn, startJob } from '../waitlist/jobs/start-job.ts';
import { changeQueue } from '../waitlist/queue/change-queue.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { QueueChange } from '../waitlist/queue/queue-change.ts';
import { type FoundEndpoint, findEndpoint } from './endpoints.ts';
import { endpointTarget, WEBHOOK_CHANNEL } from './listener.ts';

const KIND = 'replay';
/** Deliveries per transaction: few enough that signups do not wait long. */
const STEP = 500;
/** Counting more would keep the request waiting. The job then has no total. */
const COUNTED_MAX = 100_000;

export const REPLAYED_STATES = ['failed', 'pending', 'delivered'] as const;
type ReplayedState = (typeof REPLAYED_STATES)[number];

interface ReplayRange {
  /** Of the events, in milliseconds. `to` is excluded. */
  from: number;
  /** Default: everything so far. */
  to?: number | undefined;
  /** Which deliveries to send again. `pending` are those that failed and wait for their next attempt. */
  state: ReplayedState;
  /** When they failed, at the earliest. */
  failedSince?: number | undefined;
}

interface ReplayInput extends ReplayRange {
  endpoint: string;
  to: number;
}

interface ReplayProgress {
  replayed: number;
  /** The last event that was replayed, in hexadecimal. */
  after: string;
}

/** Starts to send everything of a time range again that has failed or was delivered. A server does it. */
export async function startReplay(
  context: Context,
  endpointId: string,
  range: ReplayRange,
): Promise<{ id: Buffer }> {
  const { lease } = await createReplay(context, endpointId, range, { held: false });
  return { id: lease.id };
}

/** Sends everything again that has failed since that time. */
export function replayFailed(
  context: Context,
  endpointId: string,
  since: number,
): Promise<{ replayed: number }> {
  return replayNow(context, endpointId, { from: 0, state: 'failed', failedSince: since });
}

/** Tries everything now that failed and waits for its next attempt. */
export function retryPending(context: Context, endpointId: string): Promise<{ replayed: number }> {
  return replayNow(context, endpointId, { from: 0, state: 'pending' });
}

/** If this process is killed, a server goes on. */
async function replayNow(
  context: Context,
  endpointId: string,
  range: ReplayRange,
): Promise<{ replayed: number }> {
  const { queue, lease, input } = await createReplay(context, endpointId, range, { held: true });
  const replayed = await workOnJob(context, queue, lease, () => continueReplay(context, lease, input));
  return { replayed };
}

/** Replays that were started over the API, and those that the command line left behind. */
export const replayJob: JobKind = {
  kind: KIND,
  run: async (context, _queue, { lease, input }: HeldJob<ReplayInput>) => {
    await continueReplay(context, lease, input);
  },
};

async function createReplay(
  context: Context,
  endpointId: string,
  range: ReplayRange,
  { held }: { held: boolean },
): Promise<{ queue: FoundEndpoint['queue']; lease: JobLease; input: ReplayInput }> {
  const found = await findEndpoint(context, endpointId);
  const total = await countReplayed(context.db, found, range);
  const start = async (change: QueueChange) => {
    const input: ReplayInput = { ...range, to: range.to ?? change.now + 1, endpoint: endpointId };
    const progress: ReplayProgress = { replayed: 0, after: oldestId(range.from).toString('hex') };
    const lease = createJob(context, change, {
      kind: KIND,
      input,
      progress,
      total,
      subject: endpointId,
      runner: 'server',
      held,
    });
    await context.audit?.(change.trx, {
      action: 'delivery.replayed',
      object: { kind: 'webhook', id: endpointId },
      after: { ...recordOf(range), job: formatId('job', lease.id) },
    });
    return { queue: found.queue, lease, input };
  };
  return startJob(context, found.queue, start, serverGoesOn);
}

function recordOf({ from, to, state, failedSince }: ReplayRange): Record<string, unknown> {
  const since = failedSince ?? from;
  return { state, from: isoTime(since), ...(to === undefined ? {} : { to: isoTime(to) }) };
}

async function continueReplay(context: Context, lease: JobLease, input: ReplayInput): Promise<number> {
  for (;;) {
    const found = await findEndpoint(context, input.endpoint); // It may be deleted meanwhile.
    const { queue, row } = found;
    const step = await changeQueue(context, queue, (change) =>
      replayStep(context, change, found, lease, input),
    );
    if (step.due > 0) context.wakeUps.send([endpointTarget(queue.id, row.id)]);
    if (step.done) return step.replayed;
  }
}

async function replayStep(
  { db }: Context,
  change: QueueChange,
  found: FoundEndpoint,
  lease: JobLease,
  input: ReplayInput,
): Promise<{ done: boolean; due: number; replayed: number }> {
  const { trx, queue, now } = change;
  const before = await readProgress<ReplayProgress>(trx, queue, lease);
  const after = Buffer.from(before.after, 'hex');
  const rows = await selectReplayed(trx, found, input, after).orderBy('d.event_id').limit(STEP).execute();
  const ids = rows.map(({ event_id }) => event_id);
  const target = endpointTarget(queue.id, found.row.id);
  const due = await makeDue(db, trx, target, ids, { now, onlyEnded: false });
  const replayed = before.replayed + due;
  const progress: ReplayProgress = { replayed, after: Buffer.from(ids.at(-1) ?? after).toString('hex') };
  const done = ids.length < STEP;
  if (done) finishJob(change, lease, progress, { done: replayed, result: { replayed } });
  else advanceJob(change, lease, progress, { done: replayed, result: { replayed } });
  return { done, due, replayed };
}

function selectReplayed(
  executor: Database['query'] | Trx,
  { queue, row }: FoundEndpoint,
  { to, state, failedSince }: Omit<ReplayRange, 'from'>,
  after: Uint8Array,
) {
  let query = executor
    .selectFrom('delivery as d')
    .innerJoin('event as e', (join) =>
      join.onRef('e.queue_id', '=', 'd.queue_id').onRef('e.id', '=', 'd.event_id'),
    )
    .select('d.event_id')
    .where('d.queue_id', '=', queue.id)
    .where('d.channel', '=', WEBHOOK_CHANNEL)
    .where('d.target_id', '=', row.id)
    .where('d.event_id', '>', after)
    .where('e.body', 'is not', null)
    .$if(state === 'failed', (all) => all.where('d.failed_at', 'is not', null))
    .$if(state === 'delivered', (all) => all.where('d.delivered_at', 'is not', null))
    .$if(state === 'pending', (all) => all.where('d.due_at', 'is not', null).where(hasFailedLast));
  if (to !== undefined) query = query.where('d.event_id', '<', oldestId(to));
  if (failedSince !== undefined) query = query.where('d.failed_at', '>=', failedSince);
  return query;
}

/** The outcome of its last attempt is known, so that none is under way. */
function hasFailedLast(e: ExpressionBuilder<Tables & { d: Tables['delivery'] }, 'd'>) {
  return e.exists(
    e
      .selectFrom('delivery_attempt as a')
      .select('a.attempt')
      .whereRef('a.queue_id', '=', 'd.queue_id')
      .whereRef('a.channel', '=', 'd.channel')
      .whereRef('a.target_id', '=', 'd.target_id')
      .whereRef('a.event_id', '=', 'd.event_id')
      .whereRef('a.attempt', '=', 'd.attempts'),
  );
}

async function countReplayed(db: Database, found: FoundEndpoint, range: ReplayRange): Promise<number | null> {
  const some = selectReplayed(db.query, found, range, oldestId(range.from)).limit(COUNTED_MAX + 1);
  const { count } = await db.query
    .selectFrom(some.as('some'))
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count) > COUNTED_MAX ? null : Number(count);
}
