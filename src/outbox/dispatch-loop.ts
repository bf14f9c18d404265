import { setTimeout as pause } from 'node:timers/promises';
import { type Database, DatabaseUnavailable, SchemaSuperseded, type Trx } from '../db/database.ts';
import { sharedNow } from '../db/shared-clock.ts';
import type { Log } from '../lib/log.ts';
import { logSparingly } from '../lib/sparing-log.ts';
import type { Meter, Tracer } from '../lib/telemetry.ts';
import type { Clock } from '../lib/time.ts';
import type { Channel } from './channel.ts';
import { type Claim, claimDue, DELIVERIES_DELAYED, prepareTargets } from './claim.ts';
import {
  attemptDelivery,
  type EndedAttempt,
  type LoggedAttempt,
  nextStep,
  outcomeOf,
  writeAttempts,
} from './deliver.ts';
import { type Attempt, type Delivery, giveBack } from './delivery.ts';
import { countAttempts } from './delivery-health.ts';
import { RoundRobin, type TargetState } from './round-robin.ts';
import { compareTargets, findDueTargets, type Target } from './target.ts';

/** Limits sockets and memory. A hanging target keeps one slot busy, so there must be many. */
const MOST_AT_ONCE = 1_000;
const PAUSE_AFTER_FAILURE_MS = 1_000;
const PAUSE_OF_QUEUE_MS = 2_000;

export interface DispatchParts {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
  readonly tracer?: Tracer | undefined;
}

export interface DispatchOptions {
  leaseMs: number;
  /** How often to look for deliveries that no wake-up announced. */
  pollMs: number;
  /** How long to wait for running attempts when stopping. */
  drainMs: number;
  random: () => number;
}

interface Ended extends EndedAttempt {
  readonly state: TargetState;
}

/** What one transaction records, and from whom it claims. */
interface Work {
  readonly ended: readonly Ended[];
  readonly states: readonly TargetState[];
}

interface Recorded {
  readonly logged: LoggedAttempt[];
  readonly afterCommit: (() => void)[];
}

/**
 * Each round is one transaction that records finished attempts and claims the next deliveries, or one for each
 * queue if they are on several servers. Sending happens outside transactions.
 */
export class DispatchLoop {
  readonly #parts: DispatchParts;
  readonly #options: DispatchOptions;
  readonly #targets: RoundRobin;
  /** Finished, but not recorded yet. */
  #ended: Ended[] = [];
  #underWay = 0;
  #stopping = false;
  #lookNow = true;
  #nextLookAt = 0;
  #nudged = false;
  #endPause = () => {};

  constructor(parts: DispatchParts, channels: readonly Channel[], options: DispatchOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#targets = new RoundRobin(channels);
  }

  wake(targets: readonly Target[]): void {
    this.#targets.wake(targets);
    this.#nudge();
  }

  /** For when a target was enabled, or it is unknown which targets have new deliveries. */
  lookAgain(): void {
    this.#lookNow = true;
    this.#targets.resume();
    this.#nudge();
  }

  stop(): void {
    this.#stopping = true;
    this.#nudge();
  }

  #nudge(): void {
    this.#nudged = true;
    this.#endPause();
  }

  async run(): Promise<void> {
    while (!this.#stopping) {
      try {
        this.#nudged = false;
        await this.#round();
        await this.#pauseUntilNeeded();
      } catch (error) {
        const reason = (error as Error).message;
        logSparingly(this.#parts.log, 'warn', { reason }, DELIVERIES_DELAYED);
        this.#lookNow = true;
        await pause(PAUSE_AFTER_FAILURE_MS);
      }
    }
  }

  async #round(): Promise<void> {
    if (this.#lookNow || performance.now() >= this.#nextLookAt) await this.#findDue();
    const ended = this.#ended;
    const chosen = this.#stopping ? [] : this.#targets.next(MOST_AT_ONCE - this.#underWay);
    if (ended.length === 0 && chosen.length === 0) return;
    this.#ended = [];
    for (const work of this.#divide(ended, chosen)) {
      try {
        await this.#recordAndClaim(work);
      } catch (error) {
        this.#ended.unshift(...work.ended);
        for (const state of work.states) state.ready = true;
        if (!this.#parts.db.isSpread) throw error;
        this.#putOff(work, error as Error);
      }
    }
  }

  /** On several servers by queue, so that one that is down does not stop the others. */
  #divide(ended: readonly Ended[], states: readonly TargetState[]): Work[] {
    if (!this.#parts.db.isSpread) return [{ ended, states }];
    const endedIn = Map.groupBy(ended, ({ state }) => state.target.queueId);
    const statesIn = Map.groupBy(states, ({ target }) => target.queueId);
    const queueIds = new Set([...endedIn.keys(), ...statesIn.keys()]);
    return [...queueIds].map((id) => ({ ended: endedIn.get(id) ?? [], states: statesIn.get(id) ?? [] }));
  }

  async #recordAndClaim({ ended, states }: Work): Promise<void> {
    if (!this.#canReach({ ended, states }))
      throw new DatabaseUnavailable('the server that has this queue does not answer');
    const prepared = await prepareTargets(states);
    const { claims, recorded } = await this.#parts.db.transaction(async (trx) => {
      this.#lockOutErasures(trx, [...ended.map(({ state }) => state), ...states]);
      const now = await sharedNow(this.#parts, trx);
      const recorded = await this.#recordAttempts(trx, ended, now);
      const claims = await claimDue(this.#parts, trx, prepared, { now, leaseMs: this.#options.leaseMs });
      countAttempts(trx, recorded.logged, now);
      return { claims, recorded };
    });
    this.#conclude(recorded);
    for (const [state, claim] of claims) this.#begin(state, claim);
  }

  /** As far as is known without asking: a question to a server that is down can take long to fail. */
  #canReach({ ended, states }: Work): boolean {
    const { target } = states[0] ?? (ended[0] as Ended).state;
    return this.#parts.db.canReach(target.queueId);
  }

  #putOff(work: Work, error: Error): void {
    if (this.#canReach(work))
      logSparingly(this.#parts.log, 'warn', { reason: error.message }, 'deliveries of a queue are delayed');
    const again = performance.now() + PAUSE_OF_QUEUE_MS;
    for (const state of work.states) state.pausedUntil = again;
    this.#nextLookAt = Math.min(this.#nextLookAt, again);
  }

  /** Reads what is due from the database. Wake-ups only make this happen sooner. */
  async #findDue(): Promise<void> {
    this.#lookNow = false;
    const [found, now] = await Promise.all([findDueTargets(this.#parts.db), sharedNow(this.#parts)]);
    this.#targets.markReady(found.filter(({ dueAt }) => dueAt <= now));
    const later = found.filter(({ dueAt }) => dueAt > now).map(({ dueAt }) => dueAt - now);
    this.#nextLookAt = performance.now() + Math.min(this.#options.pollMs, ...later);
    this.#targets.forgetIdle();
  }

  #begin(state: TargetState, { deliveries, ready, pauseMs }: Claim): void {
    state.ready = ready;
    state.pausedUntil = performance.now() + pauseMs;
    if (ready && pauseMs > 0) this.#nextLookAt = Math.min(this.#nextLookAt, state.pausedUntil);
    state.waiting.push(...deliveries);
    this.#attemptNext(state);
  }

  #attemptNext(state: TargetState): void {
    while (!this.#stopping && state.waiting.length > 0 && state.underWay.size < state.atOnce) {
      const delivery = state.waiting.shift() as Delivery;
      // Otherwise the lease could end during the attempt. The delivery will be claimed again.
      if (performance.now() < delivery.startBefore) this.#attempt(state, delivery);
    }
  }

  #attempt(state: TargetState, delivery: Delivery): void {
    state.underWay.add(delivery);
    this.#underWay += 1;
    void this.#attemptTraced(state, delivery).then((attempt) => {
      state.underWay.delete(delivery);
      this.#underWay -= 1;
      if (attempt) {
        state.learn(attempt);
        this.#ended.push({ state, delivery, attempt, at: this.#parts.clock() });
      }
      this.#attemptNext(state);
      this.#nudge();
    });
  }

  async #attemptTraced({ channel }: TargetState, delivery: Delivery): Promise<Attempt | undefined> {
    const { log, tracer } = this.#parts;
    const span = tracer?.delivery(delivery);
    if (!tracer || !span) return attemptDelivery(log, channel, delivery);
    const attempt = await tracer.run(span, () => attemptDelivery(log, channel, delivery));
    if (attempt?.status != null) span.set({ 'doorlist.response.status': attempt.status });
    span.end(attempt?.ok === true);
    return attempt;
  }

  /** Not awaited: later statements of the transaction queue behind it. */
  #lockOutErasures(trx: Trx, states: readonly TargetState[]): void {
    const queueIds = [...new Set(states.map(({ target }) => target.queueId))];
    this.#parts.db.lockDeliveries(trx, queueIds, 'shared');
  }

  async #recordAttempts(trx: Trx, ended: readonly Ended[], now: number): Promise<Recorded> {
    const logged = ended.map((one) => ({ ...one, next: nextStep(one, now, this.#options.random) }));
    writeAttempts(trx, logged);
    const afterCommit: (() => void)[] = [];
    const byState = [...Map.groupBy(ended, ({ state }) => state)];
    for (const [{ target, channel }, some] of byState.sort(([a], [b]) =>
      compareTargets(a.target, b.target),
    )) {
      const attempts = some.map(({ attempt }) => attempt);
      const conclude = await channel.settle(trx, target, attempts, now);
      if (conclude) afterCommit.push(conclude);
    }
    return { logged, afterCommit };
  }

  #conclude({ logged, afterCommit }: Recorded): void {
    for (const conclude of afterCommit) conclude();
    for (const ended of logged) this.#parts.meter.attempt(ended.delivery.target.channel, outcomeOf(ended));
  }

  async #pauseUntilNeeded(): Promise<void> {
    if (this.#nudged || (this.#underWay < MOST_AT_ONCE && this.#targets.canClaim)) return;
    const ms = Math.max(0, Math.min(this.#options.pollMs, this.#nextLookAt - performance.now()));
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Waits for running attempts, up to a limit, and releases claims that were never attempted. */
  async drain(): Promise<void> {
    const giveUpAt = performance.now() + this.#options.drainMs;
    while (this.#underWay > 0 && performance.now() < giveUpAt) await pause(20);
    for (const work of this.#divide(this.#ended, [...this.#targets])) await this.#release(work);
  }

  async #release({ ended, states }: Work): Promise<void> {
    try {
      const recorded = await this.#parts.db.transaction(async (trx) => {
        this.#lockOutErasures(trx, [...ended.map(({ state }) => state), ...states]);
        const now = await sharedNow(this.#parts, trx);
        const recorded = await this.#recordAttempts(trx, ended, now);
        for (const { waiting, channel, target } of states) {
          await giveBack(trx, waiting, now);
          if (waiting.length > 0) await channel.returned?.(trx, target, waiting);
        }
        countAttempts(trx, recorded.logged, now);
        return recorded;
      });
      this.#conclude(recorded);
    } catch (error) {
      if (error instanceof SchemaSuperseded) return; // Logged already. The newer release tries them again.
      const reason = (error as Error).message;
      this.#parts.log.warn({ reason }, 'the last delivery attempts were not recorded');
    }
  }
}
