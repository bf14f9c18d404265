import type { Trx } from '../db/database.ts';
import { sharedNow } from '../db/shared-clock.ts';
import type { Context } from '../waitlist/queue/context.ts';
import { attemptJob, type Done, toFinished } from './attempts.ts';
import type { Channel } from './channel.ts';
import { claimFor, type LineClaim, queuesOf } from './claim-lines.ts';
import { finish, giveBack, lanesWithDeliveries } from './claims.ts';
import { forgetErasedResponses } from './erase.ts';
import type { Job, Line } from './lane-state.ts';
import { byTarget, Lines } from './lines.ts';

/**
 * Longer than a delivery may wait here for its place (one deadline of 15 s) and then be attempted (another),
 * with room to write down how it went.
 */
const LEASE_MS = 45_000;
/** What nobody told us of is found this often. SQLite's is a look on this thread; PostgreSQL's other instances notify. */
const POLL_MS = { sqlite: 1_000, postgres: 5_000 };
/** Sockets and memory: a target that hangs takes one of them, so there must be many. */
const MOST_AT_ONCE = 1_000;
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
  const sending = new Sending(context, channels, options);
  const endListening = await context.db.listen(() => sending.wake());
  const endBell = context.bell.listen((lanes) => {
    sending.lines.ring(lanes);
    sending.nudge();
  });
  const looping = sending.loop();
  return {
    wake: () => sending.wake(),
    stop: async () => {
      endBell();
      sending.stop();
      for (const channel of channels) channel.stopping?.();
      await Promise.all([endListening(), looping]);
      await sending.drain();
      await Promise.all(channels.map((channel) => channel.close()));
    },
  };
}

class Sending {
  readonly lines: Lines;
  readonly #context: Context;
  readonly #options: Required<DispatcherOptions>;
  /** Ended, and not written down yet. */
  #done: Done[] = [];
  #underWay = 0;
  #stopping = false;
  #look = true;
  #nextLookAt = 0;
  #nudged = false;
  #endRest = () => {};

  constructor(context: Context, channels: readonly Channel[], options: DispatcherOptions) {
    this.lines = new Lines(channels);
    this.#context = context;
    this.#options = {
      leaseMs: LEASE_MS,
      pollMs: POLL_MS[context.db.engine],
      drainMs: DRAIN_MS,
      random: Math.random,
      ...options,
    };
  }

  /** There is something to do: the rest is over. */
  nudge(): void {
    this.#nudged = true;
    this.#endRest();
  }

  wake(): void {
    this.#look = true;
    this.lines.resume();
    this.nudge();
  }

  stop(): void {
    this.#stopping = true;
    this.nudge();
  }

  async loop(): Promise<void> {
    while (!this.#stopping) {
      try {
        this.#nudged = false;
        await this.#turn();
        await this.#rest();
      } catch (error) {
        const reason = (error as Error).message;
        this.#context.log.warn({ reason }, 'deliveries have to wait: the database did not take a turn');
        this.#look = true;
        await pause(PAUSE_AFTER_FAILURE_MS);
      }
    }
  }

  async #turn(): Promise<void> {
    if (this.#look || performance.now() >= this.#nextLookAt) await this.#lookAround();
    const ended = this.#done;
    const chosen = this.#stopping ? [] : this.lines.takeTurn(MOST_AT_ONCE - this.#underWay);
    if (ended.length === 0 && chosen.length === 0) return;
    this.#done = [];
    try {
      const queues = await queuesOf(this.#context, chosen);
      const claims = await this.#context.db.transaction(async (trx) => {
        this.#lockOutErasures(trx, [...ended.map(({ job }) => job.line), ...chosen]);
        const now = await sharedNow(this.#context, trx);
        await this.#writeDown(trx, ended, now);
        return claimFor(this.#context, trx, chosen, { queues, now, leaseMs: this.#options.leaseMs });
      });
      for (const [index, line] of chosen.entries()) this.#begin(line, claims[index] as LineClaim);
    } catch (error) {
      this.#done = [...ended, ...this.#done];
      for (const line of chosen) line.ready = true;
      throw error;
    }
  }

  /** The truth about what is due; everything else only makes it known sooner. */
  async #lookAround(): Promise<void> {
    this.#look = false;
    const [found, now] = await Promise.all([lanesWithDeliveries(this.#context.db), sharedNow(this.#context)]);
    this.lines.markReady(found.filter(({ dueAt }) => dueAt <= now));
    const later = found.filter(({ dueAt }) => dueAt > now).map(({ dueAt }) => dueAt - now);
    this.#nextLookAt = performance.now() + Math.min(this.#options.pollMs, ...later);
    this.lines.forgetIdle();
  }

  #begin(line: Line, { jobs, ready, pauseMs }: LineClaim): void {
    line.ready = ready;
    line.pausedUntil = performance.now() + pauseMs;
    if (ready && pauseMs > 0) this.#nextLookAt = Math.min(this.#nextLookAt, line.pausedUntil);
    line.waiting.push(...jobs);
    this.#fill(line);
  }

  #fill(line: Line): void {
    while (!this.#stopping && line.waiting.length > 0 && line.underWay.size < line.places) {
      const job = line.waiting.shift() as Job;
      if (performance.now() < job.startBefore) this.#attempt(job); // Else its lease may end first: it will be claimed again.
    }
  }

  #attempt(job: Job): void {
    const { line } = job;
    line.underWay.add(job);
    this.#underWay += 1;
    void attemptJob(this.#context, job).then((attempt) => {
      line.underWay.delete(job);
      this.#underWay -= 1;
      if (attempt) {
        line.learn(attempt);
        this.#done.push({ job, attempt, at: this.#context.clock() });
      }
      this.#fill(line);
      this.nudge();
    });
  }

  /** Sent, not awaited: what is sent behind it waits for it. */
  #lockOutErasures(trx: Trx, lines: readonly Line[]): void {
    const queueIds = [...new Set(lines.map(({ lane }) => lane.queueId))];
    this.#context.db.lockDeliveries(trx, queueIds, 'shared').catch(() => {});
  }

  async #writeDown(trx: Trx, ended: Done[], now: number): Promise<void> {
    const finished = ended.map((one) => toFinished(one, now, this.#options.random));
    const { db } = this.#context;
    const sent = Promise.all([finish(db, trx, finished), forgetErasedResponses(db, trx, finished)]);
    sent.catch(() => {});
    const byLine = [...Map.groupBy(ended, ({ job }) => job.line)].sort(([a], [b]) => byTarget(a, b));
    for (const [{ lane, channel }, some] of byLine) {
      const attempts = some.map(({ attempt }) => attempt);
      await channel.settle(trx, lane, attempts, now);
    }
    await sent;
  }

  async #rest(): Promise<void> {
    if (this.#nudged || (this.#underWay < MOST_AT_ONCE && this.lines.canClaim)) return;
    const ms = Math.max(0, Math.min(this.#options.pollMs, this.#nextLookAt - performance.now()));
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#endRest = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Waits, within bounds, for what is under way, and gives back what was never attempted. */
  async drain(): Promise<void> {
    const giveUpAt = performance.now() + this.#options.drainMs;
    while (this.#underWay > 0 && performance.now() < giveUpAt) await pause(20);
    try {
      await this.#context.db.transaction(async (trx) => {
        this.#lockOutErasures(trx, [...this.#done.map(({ job }) => job.line), ...this.lines]);
        const now = await sharedNow(this.#context, trx);
        await this.#writeDown(trx, this.#done, now);
        for (const { lane, waiting } of this.lines) {
          for (const [token, jobs] of Map.groupBy(waiting, (job) => job.token)) {
            const eventIds = jobs.map(({ delivery }) => delivery.eventId);
            await giveBack(trx, lane, eventIds, token, now);
          }
        }
      });
    } catch (error) {
      const reason = (error as Error).message;
      this.#context.log.warn({ reason }, 'what was sent last was not written down');
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
