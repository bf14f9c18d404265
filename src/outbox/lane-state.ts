import type { Queue } from '../waitlist/queue/directory.ts';
import type { Lane } from './bell.ts';
import type { Attempt, Channel } from './channel.ts';
import type { Claimed } from './claims.ts';
import type { Permit } from './permit.ts';

/** Of a target that answers within the first, this many times as many are claimed as are sent at once. */
const QUICK_MS = 250;
const QUICK_AHEAD = 7;

/** A claimed delivery on its way through this process. */
export interface Job {
  readonly line: Line;
  readonly queue: Queue;
  readonly setup: unknown;
  readonly delivery: Claimed;
  readonly token: Uint8Array;
  /** By the monotonic clock: when the attempt must have ended for the lease to cover it. */
  readonly startBefore: number;
  readonly permit: Permit;
}

/** What this process knows of a lane. */
export class Line {
  readonly lane: Lane;
  readonly channel: Channel;
  /** Claimed, and waiting for a place among those that are under way. */
  readonly waiting: Job[] = [];
  /** Being attempted. */
  readonly underWay = new Set<Job>();
  renewing: Promise<void> | undefined;
  /** There may be something due. */
  ready = false;
  /** By the monotonic clock; a target with a quota is asked again only then. */
  pausedUntil = 0;
  /** Shrinks as attempts fail and grows as they succeed: a dead target ties up one place, not all. */
  places: number;
  /** How long attempts take lately. */
  #pace = 2 * QUICK_MS;

  constructor(lane: Lane, channel: Channel) {
    this.lane = lane;
    this.channel = channel;
    this.places = channel.atOnce;
  }

  /**
   * How many to claim: more than can be sent at once, so that the next is at hand when one ends. How many more
   * depends on how quick the target is: what is claimed must have its turn well before its lease ends.
   */
  get room(): number {
    const held = this.underWay.size + this.waiting.length;
    const ahead = this.#pace < QUICK_MS ? QUICK_AHEAD : 1;
    const most = this.places === 1 ? 1 : this.places * (1 + ahead);
    // In handfuls: a claim costs about the same for one as for many.
    return held <= most / 2 ? most - held : 0;
  }

  get idle(): boolean {
    return !this.ready && this.underWay.size === 0 && this.waiting.length === 0;
  }

  /** A refusal for good is an answer: the target is well. */
  learn({ ok, durationMs, final = false }: Attempt): void {
    this.#pace += (durationMs - this.#pace) / 8;
    this.places =
      ok || final ? Math.min(this.channel.atOnce, this.places + 1) : Math.max(1, Math.floor(this.places / 2));
  }
}

export function lineName({ queueId, channel, targetId }: Lane): string {
  return `${queueId} ${channel} ${Buffer.from(targetId).toString('latin1')}`;
}
