import type { Permit } from './permit.ts';
import type { Target } from './target.ts';

/** A delivery that this process has claimed, and may attempt until the lease ends. */
export interface Delivery<Setup = unknown> {
  readonly target: Target;
  readonly eventId: Uint8Array;
  /** Of the retry schedule, this one included. */
  readonly tries: number;
  /** Of all time, this one included. */
  readonly attempt: number;
  /** Sealed; null when it was erased meanwhile. */
  readonly body: Uint8Array | null;
  /** Of the claim: the delivery is its own until another token stands there. */
  readonly token: Uint8Array;
  /** By the monotonic clock: an attempt that begins later could outlast the lease. */
  readonly startBefore: number;
  readonly permit: Permit;
  readonly setup: Setup;
}
