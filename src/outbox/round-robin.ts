import type { Channel } from './channel.ts';
import type { Attempt, Delivery } from './delivery.ts';
import { compareTargets, type Target, targetName } from './target.ts';

/** How many targets one transaction claims from. */
const TARGETS_AT_ONCE = 64;

/** Targets that may have due deliveries, least recently served first. */
export class RoundRobin {
  readonly #channels: readonly Channel[];
  readonly #byName = new Map<string, TargetState>();

  constructor(channels: readonly Channel[]) {
    this.#channels = channels;
  }

  markReady(targets: readonly Target[]): void {
    for (const target of targets) {
      const state = this.#stateOf(target);
      if (state) state.ready = true;
    }
  }

  /** An idle target with new deliveries is served at once. */
  wake(targets: readonly Target[]): void {
    for (const target of targets) {
      const state = this.#stateOf(target);
      if (!state) continue;
      if (!state.ready) state.pausedUntil = 0; // A target that is ready and paused is waiting for its quota.
      state.ready = true;
    }
  }

  #stateOf(target: Target): TargetState | undefined {
    const name = targetName(target);
    const channel = this.#channels.find((one) => one.name === target.channel);
    const state = this.#byName.get(name) ?? (channel && new TargetState(target, channel));
    if (state) this.#byName.set(name, state);
    return state;
  }

  /** Returns up to this many targets to claim from, and moves them to the end of the line. */
  next(most: number): TargetState[] {
    const chosen: TargetState[] = [];
    for (const state of this.#byName.values()) {
      if (chosen.length >= Math.min(TARGETS_AT_ONCE, most)) break;
      if (state.canClaim) chosen.push(state);
    }
    for (const state of chosen) {
      const name = targetName(state.target);
      this.#byName.delete(name);
      this.#byName.set(name, state);
    }
    return chosen.sort((a, b) => compareTargets(a.target, b.target));
  }

  get canClaim(): boolean {
    return [...this.#byName.values()].some((state) => state.canClaim);
  }

  /** Ends all pauses, because a target may have been enabled. */
  resume(): void {
    for (const state of this.#byName.values()) state.pausedUntil = 0;
  }

  forgetIdle(): void {
    for (const [name, state] of this.#byName)
      if (state.idle && state.pausedUntil < performance.now()) this.#byName.delete(name);
  }

  [Symbol.iterator](): IterableIterator<TargetState> {
    return this.#byName.values();
  }
}

/** For targets that respond this fast, claim this many times as many deliveries as are sent at once. */
const QUICK_MS = 250;
const QUICK_AHEAD = 7;

/** What this process remembers about a target. */
export class TargetState {
  readonly target: Target;
  readonly channel: Channel;
  /** Claimed, but not started. */
  readonly waiting: Delivery[] = [];
  readonly underWay = new Set<Delivery>();
  renewing: Promise<void> | undefined;
  /** Deliveries may be due. */
  ready = false;
  /** On the monotonic clock. Until then, a target that has used up its quota is skipped. */
  pausedUntil = 0;
  /** Shrinks when attempts fail and grows when they succeed, so that a dead target blocks only one slot. */
  atOnce: number;
  /** How long recent attempts took. */
  #pace = 2 * QUICK_MS;

  constructor(target: Target, channel: Channel) {
    this.target = target;
    this.channel = channel;
    this.atOnce = channel.atOnce;
  }

  /**
   * How many deliveries to claim. Claiming ahead means the next delivery is ready when one ends. Slow targets
   * get fewer, because a claimed delivery must be attempted well before its lease ends.
   */
  get room(): number {
    const held = this.underWay.size + this.waiting.length;
    const ahead = this.#pace < QUICK_MS ? QUICK_AHEAD : 1;
    const most = this.atOnce === 1 ? 1 : this.atOnce * (1 + ahead);
    // In bulk, because claiming one delivery costs about as much as claiming many.
    return held <= most / 2 ? most - held : 0;
  }

  get canClaim(): boolean {
    return this.ready && this.room > 0 && this.pausedUntil <= performance.now();
  }

  get idle(): boolean {
    return !this.ready && this.underWay.size === 0 && this.waiting.length === 0;
  }

  /** A permanent rejection counts as a success here: the target responds. */
  learn({ ok, durationMs, final = false }: Attempt): void {
    this.#pace += (durationMs - this.#pace) / 8;
    this.atOnce =
      ok || final ? Math.min(this.channel.atOnce, this.atOnce + 1) : Math.max(1, Math.floor(this.atOnce / 2));
  }
}
