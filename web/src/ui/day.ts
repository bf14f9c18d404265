/** For `max` of a date field. Without one, browsers take years of up to six digits, which nothing else does. */
export const LAST_DAY = '9999-12-31';

/** What is wrong with the value of a date field, if anything. */
export function dayProblem(day: string): string | undefined {
  return day === '' || /^\d{4}-\d\d-\d\d$/.test(day) ? undefined : 'Enter a year of four digits.';
}

const DAY_MS = 86_400_000;
const DAY_PARTS = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
const CLOCK_PARTS = { hour: 'numeric', minute: 'numeric', second: 'numeric', hourCycle: 'h23' } as const;

/** The day that it is in a time zone, such as `2026-11-15`. */
export function dayIn(timeZone: string, at = Date.now()): string {
  const parts = partsOf({ ...DAY_PARTS, timeZone }, at);
  return [parts.year, parts.month, parts.day].join('-');
}

/** When a day begins in a time zone: at its first moment, also where clocks skip or repeat midnight. */
export function midnightIn(day: string, timeZone: string): number {
  const utc = Date.parse(`${day}T00:00:00Z`);
  const [first = utc, last = utc] = [-DAY_MS, DAY_MS]
    .map((away) => utc - offsetAt(timeZone, utc + away))
    .sort((a, b) => a - b);
  return dayIn(timeZone, first) === day ? first : last;
}

function offsetAt(timeZone: string, at: number): number {
  const { year, month, day, hour, minute, second } = partsOf({ ...DAY_PARTS, ...CLOCK_PARTS, timeZone }, at);
  const clock = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
  );
  return clock - Math.floor(at / 1_000) * 1_000;
}

function partsOf(options: Intl.DateTimeFormatOptions, at: number): Partial<Record<string, string>> {
  const parts = new Intl.DateTimeFormat('en', options).formatToParts(at);
  return Object.fromEntries(parts.map(({ type, value }) => [type, value]));
}
