import type { Attempt } from './attempt.ts';
import type { Channel } from './channel.ts';
import type { Delivery } from './delivery.ts';
import type { Target } from './target.ts';

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
