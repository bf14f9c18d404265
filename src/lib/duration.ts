import { DAY_MS, HOUR_MS, MINUTE_MS } from './time.ts';

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
