import type { Trx } from '../db/database.ts';
import type { Attempt } from './attempt.ts';
import type { Delivery } from './delivery.ts';
import type { Target } from './target.ts';

/**
 * How deliveries leave the process: webhooks are one channel, mails another. The dispatcher claims and records; a
 * channel opens the sealed body, sends it and seals the response. Its setup is what it needs to send to a target.
 */
export interface Channel<Setup = unknown> {
  readonly name: string;
  /** An attempt never takes longer than this. */
  readonly deadlineMs: number;
  /** Deliveries to one target at a time. */
  readonly atOnce: number;
  /**
   * Called before the claiming transaction, for reads that need a connection of their own: waiting for a second
   * connection inside the transaction could deadlock.
   */
  prepare(targets: readonly Target[]): Promise<OpenTargets<Setup>>;
  /** Counts what was claimed against the target's quota. */
  charge(trx: Trx, target: Target, quota: Quota, claimed: number, now: number): Promise<void>;
  /**
   * Makes one attempt. Checks the delivery's permit right before the first byte leaves this process, and renews it if
   * necessary. undefined: the permit was not renewed, and nothing has left.
   */
  send(delivery: Delivery<Setup>, sealedBody: Uint8Array): Promise<Attempt | undefined>;
  /** Gets a target's attempts, in the transaction that records them. */
  settle(trx: Trx, target: Target, attempts: readonly Attempt[], now: number): Promise<void>;
  /** Nothing more is claimed: long attempts should come to an end. */
  stopping?(): void;
  close(): Promise<void>;
}

/** The setup of each target at this moment, in the order of the targets; undefined where nothing may be sent. */
export type OpenTargets<Setup> = (trx: Trx, now: number) => Promise<(OpenTarget<Setup> | undefined)[]>;

export interface OpenTarget<Setup> {
  setup: Setup;
  quota?: Quota;
}

/** How many may be sent now, and when to ask again. */
export interface Quota {
  left: number;
  againInMs: number;
  /** Earlier deliveries use up the rate until then. */
  usedUntil: number;
  perSecond: number;
}
