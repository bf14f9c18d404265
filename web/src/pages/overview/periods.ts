import type { Schemas } from '../../api/client.ts';
import { choiceOf, textOf } from '../../search.ts';
import { dayIn } from '../../ui/day.ts';

type Interval = Schemas['Interval'];

interface Period {
  value: string;
  label: string;
  interval: Interval;
  /** How many intervals. The last one is not over yet. */
  count: number;
}

/** What the overview can look back at. */
export const PERIODS = [
  { value: '24h', label: '24 hours', interval: 'hour', count: 24 },
  { value: '7d', label: '7 days', interval: 'day', count: 7 },
  { value: '30d', label: '30 days', interval: 'day', count: 30 },
  { value: '90d', label: '90 days', interval: 'day', count: 90 },
  { value: '12m', label: '12 months', interval: 'week', count: 52 },
] as const satisfies readonly Period[];

type PeriodName = (typeof PERIODS)[number]['value'];
const PERIOD_NAMES = PERIODS.map(({ value }) => value);
export const DEFAULT_PERIOD: PeriodName = '30d';

/** A range of one's own. */
export const CUSTOM = 'custom';

export interface OverviewSearch {
  period?: PeriodName | typeof CUSTOM | undefined;
  /** The first and the last day of a range of one's own. */
  from?: string | undefined;
  to?: string | undefined;
  compare?: '1' | undefined;
}

export function readOverviewSearch(search: Record<string, unknown>): OverviewSearch {
  return {
    period: choiceOf(search.period, [...PERIOD_NAMES, CUSTOM]),
    from: readDay(search.from),
    to: readDay(search.to),
    compare: choiceOf(search.compare, ['1']),
  };
}

function readDay(value: unknown): string | undefined {
  const text = textOf(value) ?? '';
  return isDay(text) ? text : undefined;
}

function isDay(text: string): boolean {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
export const FIRST_DAY = '1980-01-01';
/** Ten years of weeks, as much as the API returns. */
const DAYS_MAX = 3_640;

export function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
}

function daysIn(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
}

/** What is wrong with a range, or undefined. */
export function problemOf(from: string, to: string, today: string): string | undefined {
  if (!isDay(from) || !isDay(to)) return 'Choose both days.';
  if (from < FIRST_DAY) return 'Choose a day after 1980.';
  if (to < from) return 'The last day is before the first.';
  if (from > today) return 'The first day is in the future.';
  return daysIn(from, to) > DAYS_MAX ? 'At most ten years.' : undefined;
}

/** What to ask the API for, and how to speak of it. */
interface Span {
  interval: Interval;
  timeZone: string;
  from: string;
  /** Without it, the last interval is the one that is not over yet. */
  to?: string;
  /** As in "120 in 30 days". */
  label: string;
}

export function spanOf(search: OverviewSearch, timeZone: string, now = Date.now()): Span {
  const today = dayIn(timeZone, now);
  const { period, from, to } = search;
  if (period === CUSTOM && from && to && !problemOf(from, to, today)) {
    const isOver = to < today;
    const days = daysIn(from, isOver ? to : today);
    const interval = days <= 2 ? 'hour' : days <= 92 ? 'day' : 'week';
    return { interval, timeZone, from, ...(isOver ? { to: dayAfter(to, 1) } : {}), label: 'this period' };
  }
  const { interval, count, label } = PERIODS.find(({ value }) => value === period) ?? PERIODS[2];
  const earlier = count - 1;
  const first =
    interval === 'hour'
      ? new Date(now - earlier * HOUR_MS).toISOString()
      : dayAfter(today, -earlier * (interval === 'week' ? 7 : 1));
  return { interval, timeZone, from: first, label };
}

const FORMATS: Record<Interval, Intl.DateTimeFormatOptions> = {
  hour: { weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  day: { weekday: 'short', day: 'numeric', month: 'short' },
  week: { day: 'numeric', month: 'short', year: 'numeric' },
};

/** In the time zone in which the intervals begin. */
export function formatterFor(interval: Interval, timeZone: string): (at: string) => string {
  const format = new Intl.DateTimeFormat('en', { ...FORMATS[interval], timeZone });
  const prefix = interval === 'week' ? 'Week of ' : '';
  return (at) => (at === '' ? '' : `${prefix}${format.format(new Date(at))}`);
}
