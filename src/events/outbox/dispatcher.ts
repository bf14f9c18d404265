import type { Trx } from '../../db/database.ts';
import type { Context } from '../../waitlist/context.ts';
import { attemptJob, type Done, toFinished } from './attempts.ts';
import type { Lane } from './bell.ts';
import type { Channel } from './channel.ts';
import { claimFor, type LineClaim } from './claim-lines.ts';
import { finish, giveBack, lanesWithDeliveries } from './claims.ts';
import { type Job, Line, lineName } from './lane-state.ts';
import { sharedNow } from './shared-clock.ts';

/**
 * Longer than a delivery may wait here for its place (one deadline of 15 s) and then be attempted (another),
 * with room to write down how it went.
 */
const LEASE_MS = 45_000;
/** What nobody told us of is found this often. SQLite's is a look on this thread; PostgreSQL's other instances notify. */
const POLL_MS = { sqlite: 1_000, postgres: 5_000 };
/** Sockets and memory: a target that hangs takes one of them, so there must be many. */
const MOST_AT_ONCE = 1_000;
/** Lanes tried in one transaction. */
const LANES_A_TURN = 64;
const PAUSE_AFTER_FAILURE_MS = 1_000;
/** Longer than any attempt takes. */
const DRAIN_MS = 20_000;

export interface DispatcherOptions {
  leaseMs?: number;
  pollMs?: number;
  drainMs?: number;
  random?: () => number;
}

export interface Dispatcher {
  /** Looks for due deliveries now. */
  wake(): void;
  /** Claims nothing more, waits for the attempts under way, and writes down how they went. */
  stop(): Promise<void>;
}

/**
 * Sends what is due. Each turn is one transaction that writes down what has ended and claims what comes next;
 * the sending itself happens outside of any. Any number of processes may do so on one database.
 */
export async function startDispatcher(
  context: Context,
  channels: readonly Channel[],
  options: DispatcherOptions = {},
): Promise<Dispatcher> {
  const { db, log } = context;
  const { leaseMs = LEASE_MS, pollMs = POLL_MS[db.engine], drainMs = DRAIN_MS } = options;
  const random = options.random ?? Math.random;
  const lines = new Map<string, Line>();
  let done: Done[] = [];
  let underWay = 0;
  let stopping = false;
  let look = true;
  let nextLookAt = 0;
  let signalled = false;
  let signal = () => {};

  const nudge = () => {
    signalled = true;
    signal();
  };
  const lineOf = (lane: Lane): Line | undefined => {
    const name = lineName(lane);
    const channel = channels.find((one) => one.name === lane.channel);
    const line = lines.get(name) ?? (channel && new Line(lane, channel));
    if (line) lines.set(name, line);
    return line;
  };
  const markReady = (lanes: readonly Lane[], atOnce = false) => {
    for (const lane of lanes) {
      const line = lineOf(lane);
      if (!line) continue;
      if (atOnce && !line.ready) line.pausedUntil = 0; // One that is ready and pauses waits for its quota.
      line.ready = true;
    }
  };
  const canClaim = (line: Line) => line.ready && line.room > 0 && line.pausedUntil <= performance.now();

  /** The truth about what is due; everything else only makes it known sooner. */
  const lookAround = async () => {
    look = false;
    const [found, now] = await Promise.all([lanesWithDeliveries(db), sharedNow(context)]);
    markReady(found.filter(({ dueAt }) => dueAt <= now));
    const soonest = Math.min(
      pollMs,
      ...found.filter(({ dueAt }) => dueAt > now).map(({ dueAt }) => dueAt - now),
    );
    nextLookAt = performance.now() + soonest;
    for (const [name, line] of lines)
      if (line.idle && line.pausedUntil < performance.now()) lines.delete(name);
  };

  const run = (job: Job) => {
    const { line } = job;
    line.underWay += 1;
    underWay += 1;
    void attemptJob(context, job).then((attempt) => {
      line.underWay -= 1;
      underWay -= 1;
      line.learn(attempt);
      done.push({ job, attempt, at: context.clock() });
      fill(line);
      nudge();
    });
  };
  const fill = (line: Line) => {
    while (!stopping && line.waiting.length > 0 && line.underWay < line.places) {
      const job = line.waiting.shift() as Job;
      if (performance.now() < job.startBefore) run(job); // Else its lease may end first: it will be claimed again.
    }
  };

  /** Those that may have something due and have room for it, the longest unserved first. */
  const candidates = (): Line[] => {
    const free = MOST_AT_ONCE - underWay;
    if (stopping || free <= 0) return [];
    const chosen: Line[] = [];
    for (const line of lines.values()) {
      if (canClaim(line)) chosen.push(line);
      if (chosen.length >= Math.min(LANES_A_TURN, free)) break;
    }
    for (const line of chosen) {
      lines.delete(lineName(line.lane));
      lines.set(lineName(line.lane), line);
    }
    return chosen.sort((a, b) => Buffer.compare(a.lane.targetId, b.lane.targetId));
  };

  const turn = async () => {
    if (look || performance.now() >= nextLookAt) await lookAround();
    const ended = done;
    const chosen = candidates();
    if (ended.length === 0 && chosen.length === 0) return;
    done = [];
    try {
      const claimed = await db.transaction(async (trx) => {
        const now = await sharedNow(context, trx);
        await writeDown(trx, ended, now);
        return claimFor(context, trx, chosen, { now, leaseMs });
      });
      chosen.forEach((line, index) => {
        const { jobs, ready, pauseMs } = claimed[index] as LineClaim;
        line.ready = ready;
        line.pausedUntil = performance.now() + pauseMs;
        if (ready && pauseMs > 0) nextLookAt = Math.min(nextLookAt, line.pausedUntil);
        line.waiting.push(...jobs);
        fill(line);
      });
    } catch (error) {
      done = [...ended, ...done];
      for (const line of chosen) line.ready = true;
      throw error;
    }
  };

  const writeDown = async (trx: Trx, ended: Done[], now: number) => {
    const sent = finish(
      db,
      trx,
      ended.map((one) => toFinished(one, now, random)),
    );
    sent.catch(() => {});
    const byLine = Map.groupBy(ended, ({ job }) => job.line);
    for (const [{ lane, channel }, some] of [...byLine].sort(([a], [b]) =>
      Buffer.compare(a.lane.targetId, b.lane.targetId),
    )) {
      await channel.settle(
        trx,
        lane,
        some.map(({ attempt }) => attempt),
        now,
      );
    }
    await sent;
  };

  const rest = async () => {
    if (signalled || (underWay < MOST_AT_ONCE && [...lines.values()].some(canClaim))) return;
    const ms = Math.max(0, Math.min(pollMs, nextLookAt - performance.now()));
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      signal = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  };

  const loop = async () => {
    while (!stopping) {
      try {
        signalled = false;
        await turn();
        await rest();
      } catch (error) {
        log.warn(
          { reason: (error as Error).message },
          'deliveries have to wait: the database did not take a turn',
        );
        look = true;
        await pause(PAUSE_AFTER_FAILURE_MS);
      }
    }
  };

  const wake = () => {
    look = true;
    for (const line of lines.values()) line.pausedUntil = 0; // One of them may have been enabled.
    nudge();
  };
  const endListening = await db.listen(wake);
  const endBell = context.bell.listen((lanes) => {
    markReady(lanes, true);
    nudge();
  });
  const looping = loop();

  return {
    wake,
    stop: async () => {
      stopping = true;
      endBell();
      nudge();
      await Promise.all([endListening(), looping]);
      const giveUpAt = performance.now() + drainMs;
      while (underWay > 0 && performance.now() < giveUpAt) await pause(20);
      await db
        .transaction(async (trx) => {
          const now = await sharedNow(context, trx);
          await writeDown(trx, done, now);
          const jobs = [...lines.values()].flatMap(({ waiting }) => waiting);
          for (const [token, some] of Map.groupBy(jobs, (job) => job.token)) {
            const [{ line }] = some as [Job];
            await giveBack(
              trx,
              line.lane,
              some.map(({ delivery }) => delivery.eventId),
              token,
              now,
            );
          }
        })
        .catch((error: Error) =>
          log.warn({ reason: error.message }, 'what was sent last was not written down'),
        );
      await Promise.all(channels.map((channel) => channel.close()));
    },
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
