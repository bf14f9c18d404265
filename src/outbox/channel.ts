import type { Trx } from '../db/database.ts';
import type { Queue } from '../waitlist/queue/directory.ts';
import type { Lane } from './bell.ts';
import type { Claimed } from './claims.ts';
import type { Permit } from './permit.ts';

/** A way out: webhooks are one, mails another. The dispatcher does the claiming and the bookkeeping, a channel the sending. */
export interface Channel<T = unknown> {
  readonly name: string;
  /** Past this an attempt is over, whatever the other side does. */
  readonly deadlineMs: number;
  /** Deliveries to one target at a time. */
  readonly atOnce: number;
  /** The targets as they are set up this moment, in that order; undefined where nothing may be sent. */
  open(
    trx: Trx,
    targets: readonly { lane: Lane; queue: Queue }[],
    now: number,
  ): Promise<(Target<T> | undefined)[]>;
  /** Charges a target that has a quota for what was claimed. */
  charge(trx: Trx, lane: Lane, quota: Quota, claimed: number, now: number): Promise<void>;
  /**
   * One attempt. Never throws. Asks the permit right before the first byte that leaves this process, and renews it
   * where it must; undefined: it was not renewed, and nothing has left. The token is that of the claim, to extend its
   * lease with.
   */
  send(
    target: T,
    queue: Queue,
    delivery: Claimed,
    body: string,
    claim: { permit: Permit; token: Uint8Array },
  ): Promise<Attempt | undefined>;
  /** Told after each turn how a target's attempts went, in the transaction that writes them down. */
  settle(trx: Trx, lane: Lane, attempts: readonly Attempt[], now: number): Promise<void>;
  /** Nothing more is claimed: what takes long should come to an end. */
  stopping?(): void;
  close(): Promise<void>;
}

export interface Target<T> {
  setup: T;
  quota?: Quota;
}

/** How many may be sent now, and when to ask again. */
export interface Quota {
  left: number;
  againInMs: number;
  /** Up to when what was sent before uses the rate up. */
  usedUntil: number;
  perSecond: number;
}

export interface Attempt {
  ok: boolean;
  status: number | null;
  /** In our own words: what the other side said stands in `response` alone. */
  error: string | null;
  /** The beginning of the answer; null when there was none. */
  response: string | null;
  durationMs: number;
  retryAfterMs: number;
  /** The other side said no for good: there is no next try. */
  final?: boolean;
  /** Nothing left this process: it says nothing about the other side. */
  unsent?: boolean;
  /** Neither the delivery's fault nor its target's: it uses up no try, and is due again after so long. */
  deferMs?: number;
}
