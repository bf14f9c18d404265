const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The wait before each attempt, as Standard Webhooks recommends; a little over three days in all. */
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

/** Only ever added: deliveries that failed together are retried spread out. */
const JITTER = 0.1;
/** A receiver may ask us to wait, but not forever. */
const RETRY_AFTER_MS_MAX = 24 * HOUR_MS;

/** How long to wait after that many attempts; null after the last. */
export function delayAfter(tries: number, retryAfterMs: number, random: () => number): number | null {
  const delay = DELAYS_MS[tries];
  if (delay === undefined) return null;
  const asked = Math.min(Math.max(retryAfterMs, 0), RETRY_AFTER_MS_MAX);
  const wait = Math.max(delay, asked);
  return wait + Math.floor(wait * JITTER * random());
}

/** A `Retry-After` header in milliseconds: seconds or a date; 0 when it is neither. */
export function parseRetryAfter(header: string | undefined, now: number): number {
  const text = header?.trim() ?? '';
  if (/^[0-9]{1,12}$/.test(text)) return Number(text) * 1000;
  const date = /^[A-Z][a-z]{2,}, /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? 0 : Math.max(0, date - now);
}
