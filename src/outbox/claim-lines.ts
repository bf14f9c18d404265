import type { Trx } from '../db/database.ts';
import { randomBytes } from '../random-bytes.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { Queue } from '../waitlist/queue/directory.ts';
import type { Channel, Target } from './channel.ts';
import { claim } from './claims.ts';
import type { Job, Line } from './lane-state.ts';
import { askAgain, Permit } from './permit.ts';

/** A target that is switched off is asked again this often. */
const CLOSED_PAUSE_MS = 5_000;

export interface LineClaim {
  jobs: Job[];
  /** There may be more. */
  ready: boolean;
  pauseMs: number;
}

interface Opened {
  line: Line;
  queue: Queue;
  target: Target<unknown>;
}

/** The queues of the lines, by id. To be asked for before the transaction: it must not wait for a second connection. */
export async function queuesOf(
  { directory }: Context,
  lines: readonly Line[],
): Promise<ReadonlyMap<number, Queue>> {
  const queues = new Map<number, Queue>();
  for (const { lane } of lines) {
    const queue = await directory.queueById(lane.queueId);
    if (queue) queues.set(queue.id, queue);
  }
  return queues;
}

/** Claims for each line what it has room for and its target lets through; answers in the order of the lines. */
export async function claimFor(
  context: Context,
  trx: Trx,
  lines: readonly Line[],
  { queues, now, leaseMs }: { queues: ReadonlyMap<number, Queue>; now: number; leaseMs: number },
): Promise<LineClaim[]> {
  const startedAt = performance.now();
  const results = new Map<Line, LineClaim>();
  const requests: (Opened & { limit: number })[] = [];
  for (const opened of await openLines(queues, trx, lines, now)) {
    const { left = Number.POSITIVE_INFINITY, againInMs = 0 } = opened.target.quota ?? {};
    const limit = Math.min(opened.line.room, left);
    if (limit >= 1) requests.push({ ...opened, limit });
    else results.set(opened.line, { jobs: [], ready: true, pauseMs: againInMs });
  }
  const token = randomBytes(16);
  const terms = { now, leaseEnd: now + leaseMs, token };
  const wanted = requests.map(({ line, limit }) => ({ lane: line.lane, limit }));
  const claimed = await claim(context.db, trx, wanted, terms);
  for (const [index, { line, queue, target, limit }] of requests.entries()) {
    const deliveries = claimed[index] ?? [];
    const { channel, lane } = line;
    if (target.quota && deliveries.length > 0)
      await channel.charge(trx, lane, target.quota, deliveries.length, now);
    const startBefore = startedAt + leaseMs - channel.deadlineMs;
    const jobs = deliveries.map((delivery): Job => {
      const permit = new Permit(startedAt, () => askAgain(context, job));
      const job = { line, queue, setup: target.setup, delivery, token, startBefore, permit };
      return job;
    });
    results.set(line, { jobs, ready: deliveries.length === limit, pauseMs: 0 });
  }
  const closed = { jobs: [], ready: false, pauseMs: CLOSED_PAUSE_MS };
  return lines.map((line) => results.get(line) ?? closed);
}

/** Those that may be sent to, with how. */
async function openLines(
  queues: ReadonlyMap<number, Queue>,
  trx: Trx,
  lines: readonly Line[],
  now: number,
): Promise<Opened[]> {
  const opened: Opened[] = [];
  for (const [channel, some] of Map.groupBy(lines, (line) => line.channel as Channel)) {
    const known: { line: Line; queue: Queue }[] = [];
    for (const line of some) {
      const queue = queues.get(line.lane.queueId);
      if (queue) known.push({ line, queue });
    }
    const asked = known.map(({ line, queue }) => ({ lane: line.lane, queue }));
    const targets = asked.length === 0 ? [] : await channel.open(trx, asked, now);
    for (const [index, each] of known.entries()) {
      const target = targets[index];
      if (target) opened.push({ ...each, target });
    }
  }
  return opened;
}
