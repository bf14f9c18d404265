import type { Trx } from '../db/database.ts';
import type { Attempt } from './attempt.ts';
import type { Delivery } from './delivery.ts';
import type { Target } from './target.ts';

/**
 * A way out: webhooks are one, mails another. The dispatcher does the claiming and the bookkeeping. A channel opens
 * the sealed body, sends it, and seals the response; what it needs for that is its setup for the target.
 */
export interface Channel<Setup = unknown> {
  readonly name: string;
  /** Past this an attempt is over, whatever the other side does. */
  readonly deadlineMs: number;
  /** Deliveries to one target at a time. */
  readonly atOnce: number;
  /**
   * Called before the transaction that claims, to read what takes a connection of its own: inside, waiting for a
   * second one could last forever.
   */
  prepare(targets: readonly Target[]): Promise<OpenTargets<Setup>>;
  /** Charges a target that has a quota for what was claimed. */
  charge(trx: Trx, target: Target, quota: Quota, claimed: number, now: number): Promise<void>;
  /**
   * One attempt. Asks the delivery's permit right before the first byte that leaves this process, and renews it where
   * it must; undefined: it was not renewed, and nothing has left.
   */
  send(delivery: Delivery<Setup>, sealedBody: Uint8Array): Promise<Attempt | undefined>;
  /** Gets a target's attempts in the transaction that writes them down. */
  settle(trx: Trx, target: Target, attempts: readonly Attempt[], now: number): Promise<void>;
  /** Nothing more is claimed: what takes long should come to an end. */
  stopping?(): void;
  close(): Promise<void>;
}

/** The targets as they are set up this moment, in their order; undefined where nothing may be sent. */
export type OpenTargets<Setup> = (trx: Trx, now: number) => Promise<(OpenTarget<Setup> | undefined)[]>;

export interface OpenTarget<Setup> {
  setup: Setup;
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
