import type { Attempt } from './attempt.ts';
import type { Channel } from './channel.ts';
import type { Delivery } from './delivery.ts';
import type { Target } from './target.ts';

/** For a target that answers this quickly, claim this many times as many as are sent at once. */
const QUICK_MS = 250;
const QUICK_AHEAD = 7;

/** What this process knows of a target. */
export class TargetState {
  readonly target: Target;
  readonly channel: Channel;
  /** Claimed and not begun. */
  readonly waiting: Delivery[] = [];
  /** Being attempted. */
  readonly underWay = new Set<Delivery>();
  renewing: Promise<void> | undefined;
  /** Something may be due. */
  ready = false;
  /** On the monotonic clock. A target that has used up its quota is asked again only then. */
  pausedUntil = 0;
  /** Shrinks as attempts fail and grows as they succeed, so that a dead target holds up one attempt and not all. */
  atOnce: number;
  /** How long recent attempts took. */
  #pace = 2 * QUICK_MS;

  constructor(target: Target, channel: Channel) {
    this.target = target;
    this.channel = channel;
    this.atOnce = channel.atOnce;
  }

  /**
   * How many to claim: more than are sent at once, so that the next is at hand when one ends. A quick target gets more
   * ahead; a slow one fewer, because what is claimed must be attempted well before its lease ends.
   */
  get room(): number {
    const held = this.underWay.size + this.waiting.length;
    const ahead = this.#pace < QUICK_MS ? QUICK_AHEAD : 1;
    const most = this.atOnce === 1 ? 1 : this.atOnce * (1 + ahead);
    // In bulk: a claim costs about the same for one as for many.
    return held <= most / 2 ? most - held : 0;
  }

  get canClaim(): boolean {
    return this.ready && this.room > 0 && this.pausedUntil <= performance.now();
  }

  get idle(): boolean {
    return !this.ready && this.underWay.size === 0 && this.waiting.length === 0;
  }

  /** A permanent refusal is a sign of life: the target works. */
  learn({ ok, durationMs, final = false }: Attempt): void {
    this.#pace += (durationMs - this.#pace) / 8;
    this.atOnce =
      ok || final ? Math.min(this.channel.atOnce, this.atOnce + 1) : Math.max(1, Math.floor(this.atOnce / 2));
  }
}
