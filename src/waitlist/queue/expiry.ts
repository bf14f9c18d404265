import { invalid } from '../../lib/errors.ts';

/** A time, null for never, or undefined for the waitlist's default. */
export type Expiry = number | null | undefined;
export interface Lifetime {
  lifetimeMs: number;
}

/** Asked under the lock: a lifetime begins when the invite is made, however long that had to wait. */
export function expiryAt(given: Expiry | Lifetime, now: number): Expiry {
  if (typeof given === 'object' && given !== null) return now + given.lifetimeMs;
  if (typeof given === 'number' && given <= now) throw invalid('expiresAt: must be in the future');
  return given;
}
