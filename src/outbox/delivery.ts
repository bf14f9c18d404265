import type { Permit } from './permit.ts';
import type { Target } from './target.ts';

/** A delivery that this process has claimed and may attempt until the lease ends. */
export interface Delivery<Setup = unknown> {
  readonly target: Target;
  readonly eventId: Uint8Array;
  /** Attempts in the current retry schedule, including this one. */
  readonly tries: number;
  /** The number of this attempt, counted from the first. */
  readonly attempt: number;
  /** Sealed, or null if it has been erased. */
  readonly body: Uint8Array | null;
  /** The claim is valid as long as the row has this token. */
  readonly token: Uint8Array;
  /** On the monotonic clock. An attempt that starts later could outlast the lease. */
  readonly startBefore: number;
  readonly permit: Permit;
  /** As of when the permit was given. */
  setup: Setup;
}
