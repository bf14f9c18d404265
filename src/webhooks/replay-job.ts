import type { Database, Trx } from '../db/database.ts';
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
import { changeQueue } from '../waitlist/queue/change-queue.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { QueueChange } from '../waitlist/queue/queue-change.ts';
import { type FoundEndpoint, findEndpoint } from './endpoints.ts';
import { endpointTarget, WEBHOOK_CHANNEL } from './target.ts';

const KIND = 'replay';
/** Deliveries per transaction: few enough that signups do not wait long. */
const STEP = 500;
/** Counting more would keep the request waiting. The job then has no total. */
const COUNTED_MAX = 100_000;

interface ReplayRange {
  /** Of the events, in milliseconds. `to` is excluded. */
  from: number;
  /** Default: everything so far. */
  to?: number | undefined;
  /** Which deliveries to send again. */
  state: 'failed' | 'delivered';
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

/** Sends everything again that has failed since that time. If this process is killed, a server goes on. */
export async function replayFailed(
  context: Context,
  endpointId: string,
  since: number,
): Promise<{ replayed: number }> {
  const range = { from: 0, state: 'failed', failedSince: since } as const;
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
  return changeQueue(context, found.queue, async (change) => {
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
  });
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
    .where(state === 'failed' ? 'd.failed_at' : 'd.delivered_at', 'is not', null);
  if (to !== undefined) query = query.where('d.event_id', '<', oldestId(to));
  if (failedSince !== undefined) query = query.where('d.failed_at', '>=', failedSince);
  return query;
}

async function countReplayed(db: Database, found: FoundEndpoint, range: ReplayRange): Promise<number | null> {
  const some = selectReplayed(db.query, found, range, oldestId(range.from)).limit(COUNTED_MAX + 1);
  const { count } = await db.query
    .selectFrom(some.as('some'))
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count) > COUNTED_MAX ? null : Number(count);
}
