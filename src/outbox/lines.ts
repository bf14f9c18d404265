import type { Lane } from './bell.ts';
import type { Channel } from './channel.ts';
import { Line, lineName } from './lane-state.ts';

/** Lines tried in one transaction. */
const LINES_A_TURN = 64;

/** The lines that may have something due, the longest unserved first. */
export class Lines {
  readonly #channels: readonly Channel[];
  readonly #byName = new Map<string, Line>();

  constructor(channels: readonly Channel[]) {
    this.#channels = channels;
  }

  /** They have something due, as far as anybody knows. */
  markReady(lanes: readonly Lane[]): void {
    for (const lane of lanes) {
      const line = this.#lineOf(lane);
      if (line) line.ready = true;
    }
  }

  /** The same for what was recorded this moment: whoever was idle is served at once. */
  ring(lanes: readonly Lane[]): void {
    for (const lane of lanes) {
      const line = this.#lineOf(lane);
      if (!line) continue;
      if (!line.ready) line.pausedUntil = 0; // One that is ready and pauses waits for its quota.
      line.ready = true;
    }
  }

  #lineOf(lane: Lane): Line | undefined {
    const name = lineName(lane);
    const channel = this.#channels.find((one) => one.name === lane.channel);
    const line = this.#byName.get(name) ?? (channel && new Line(lane, channel));
    if (line) this.#byName.set(name, line);
    return line;
  }

  /** Those to claim for now, at most so many; they go to the end. In the order in which every process locks them. */
  takeTurn(most: number): Line[] {
    const chosen: Line[] = [];
    for (const line of this.#byName.values()) {
      if (chosen.length >= Math.min(LINES_A_TURN, most)) break;
      if (canClaim(line)) chosen.push(line);
    }
    for (const line of chosen) {
      const name = lineName(line.lane);
      this.#byName.delete(name);
      this.#byName.set(name, line);
    }
    return chosen.sort(byTarget);
  }

  get canClaim(): boolean {
    return [...this.#byName.values()].some(canClaim);
  }

  /** Something may have been enabled: nobody pauses any longer. */
  resume(): void {
    for (const line of this.#byName.values()) line.pausedUntil = 0;
  }

  forgetIdle(): void {
    for (const [name, line] of this.#byName)
      if (line.idle && line.pausedUntil < performance.now()) this.#byName.delete(name);
  }

  [Symbol.iterator](): IterableIterator<Line> {
    return this.#byName.values();
  }
}

function canClaim(line: Line): boolean {
  return line.ready && line.room > 0 && line.pausedUntil <= performance.now();
}

export function byTarget(a: Line, b: Line): number {
  return Buffer.compare(a.lane.targetId, b.lane.targetId);
}
