export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;

/** A date of the calendar, such as 2026-12-01, as its midnight in UTC. */
export function readDate(text: string): number | undefined {
  const midnight = DATE.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  // Date.parse reads February 30 as March 2.
  return !Number.isNaN(midnight) && isoTime(midnight).startsWith(text) ? midnight : undefined;
}

/** An ISO 8601 time with a time zone, such as 2026-12-01T00:00:00Z. In UTC, it has a year of four digits, too. */
export function readTime(text: string): number | undefined {
  const time = TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time) || readDate(text.slice(0, 'YYYY-MM-DD'.length)) === undefined) return undefined;
  return TIME.test(isoTime(time)) ? time : undefined;
}

/** As far as dates go, before and after 1970. */
const TIME_MAX = 8.64e15;

/** ISO 8601 in UTC, with milliseconds. A damaged time, beyond all dates, is shown as the last one. */
export function isoTime(time: number): string {
  return new Date(Math.min(Math.max(time, -TIME_MAX), TIME_MAX)).toISOString();
}

export function isoTimeOrNull(time: number | null): string | null {
  return time === null ? null : isoTime(time);
}

/** When the day of a time begins in UTC. */
export function utcDay(time: number): number {
  return time - (time % DAY_MS);
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };

/** A hundred years: anything longer is a typo, and could exceed the range of dates. */
export const DURATION_MAX_MS = 36_500 * DAY_MS;

export const DURATION_RULE = 'must be a duration such as 90s, 30m, 24h or 7d, at most 36500d';

/** `90s`, `30m`, `24h`, `7d` or `0`, in milliseconds. Undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  const [, count = '', unit = ''] = /^([0-9]{1,9})([smhd])$/.exec(text) ?? [];
  const unitMs = UNIT_MS[unit];
  if (unitMs === undefined || Number(count) * unitMs > DURATION_MAX_MS) return undefined;
  return Number(count) * unitMs;
}

/** Milliseconds since 1970. Passed in, so that tests can set the time. */
export type Clock = () => number;
