import type { Channel } from './channel.ts';
import { compareTargets, type Target, targetName } from './target.ts';
import { TargetState } from './target-state.ts';

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
