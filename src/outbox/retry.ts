import { HOUR_MS, MINUTE_MS } from '../lib/time.ts';
/** The wait before each attempt, as Standard Webhooks recommends: a little over three days in total. */
export const DELAYS_MS: readonly number[] = [
  0,
  5_000,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];

/** Only ever added, to spread out the retries of deliveries that failed together. */
const JITTER = 0.1;
/** Limits how long a receiver can ask us to wait. */
const RETRY_AFTER_MS_MAX = 24 * HOUR_MS;

/** Returns the wait after this many attempts, or null after the last. */
export function delayAfter(tries: number, retryAfterMs: number, random: () => number): number | null {
  const delay = DELAYS_MS[tries];
  if (delay === undefined) return null;
  const asked = Math.min(Math.max(retryAfterMs, 0), RETRY_AFTER_MS_MAX);
  const wait = Math.max(delay, asked);
  return wait + Math.floor(wait * JITTER * random());
}

export function mayRetry({ tries }: { tries: number }): boolean {
  return tries < DELAYS_MS.length;
}

/** Converts a `Retry-After` header (seconds or a date) to milliseconds. Returns 0 if it is neither. */
export function parseRetryAfter(header: string | undefined, now: number): number {
  const text = header?.trim() ?? '';
  if (/^[0-9]+$/.test(text)) return Number(text) * 1000;
  const date = /^[A-Z][a-z]{2,}, /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? 0 : Math.max(0, date - now);
}
