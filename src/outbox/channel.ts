import type { Trx } from '../db/database.ts';
import type { Attempt, Delivery } from './delivery.ts';
import type { Target } from './target.ts';

/**
 * A way to send deliveries, such as webhooks or mail. The dispatcher claims and records deliveries; a channel
 * opens the sealed body, sends it and seals the response. `Setup` is what a channel needs to send to a
 * target.
 */
export interface Channel<Setup = unknown> {
  readonly name: string;
  /** The longest that an attempt can take. */
  readonly deadlineMs: number;
  /** Concurrent deliveries per target. */
  readonly atOnce: number;
  /**
   * Runs before the claiming transaction, for reads that need their own connection: waiting for a second
   * connection inside the transaction could deadlock.
   */
  prepare(targets: readonly Target[]): Promise<OpenTargets<Setup>>;
  /**
   * The setup of a target as it is now, or undefined if nothing may be sent any longer. Asked before what was
   * claimed a while ago is sent.
   */
  reopen?(target: Target): Promise<Setup | undefined>;
  /** Counts claimed deliveries against the target's quota. */
  charge(trx: Trx, target: Target, quota: Quota, claimed: number, now: number): Promise<void>;
  /** Runs in the claiming transaction. Returns what must not be sent yet, and until when it waits. */
  restrain?(
    trx: Trx,
    claimed: readonly Delivery<Setup>[],
    now: number,
  ): Promise<ReadonlyMap<Delivery<Setup>, number>>;
  /** Claimed deliveries of a target go back without an attempt. */
  returned?(trx: Trx, target: Target, deliveries: readonly Delivery<Setup>[]): Promise<void>;
  /**
   * Makes one attempt. Must check the delivery's permit right before sending the first byte, and renew it if
   * necessary. Returns undefined if the permit was not renewed and nothing was sent.
   */
  send(delivery: Delivery<Setup>, sealedBody: Uint8Array): Promise<Attempt | undefined>;
  /**
   * Runs in the transaction that records these attempts, perhaps more than once. Returns what to do after the commit,
   * if anything.
   */
  settle(
    trx: Trx,
    target: Target,
    attempts: readonly Attempt[],
    now: number,
  ): Promise<(() => void) | undefined>;
  /** No more deliveries will be claimed. Long attempts should finish soon. */
  stopping?(): void;
  close(): Promise<void>;
}

/** Returns the current setup of each target, in the same order, or undefined where nothing may be sent. */
export type OpenTargets<Setup> = (trx: Trx, now: number) => Promise<(OpenTarget<Setup> | undefined)[]>;

export interface OpenTarget<Setup> {
  setup: Setup;
  quota?: Quota;
}

/** How many deliveries may be sent now, and when to check again. */
export interface Quota {
  left: number;
  againInMs: number;
  /** The rate is used up by earlier deliveries until then. */
  usedUntil: number;
  perSecond: number;
}
