import type { Schemas } from '../../api/client.ts';
import { choiceOf, textOf } from '../../search.ts';

type Interval = Schemas['Interval'];

interface Period {
  value: string;
  label: string;
  interval: Interval;
  days: number;
}

/** What the overview can look back at. */
export const PERIODS = [
  { value: '24h', label: '24 hours', interval: 'hour', days: 1 },
  { value: '7d', label: '7 days', interval: 'day', days: 7 },
  { value: '30d', label: '30 days', interval: 'day', days: 30 },
  { value: '90d', label: '90 days', interval: 'day', days: 90 },
  { value: '12m', label: '12 months', interval: 'week', days: 364 },
] as const satisfies readonly Period[];

export type PeriodName = (typeof PERIODS)[number]['value'];
export const PERIOD_NAMES = PERIODS.map(({ value }) => value);
export const DEFAULT_PERIOD: PeriodName = '30d';

export function periodOf(name: PeriodName): Period {
  return PERIODS.find(({ value }) => value === name) ?? PERIODS[2];
}

/** A range of one's own. */
export const CUSTOM = 'custom';

export interface OverviewSearch {
  period?: PeriodName | typeof CUSTOM;
  /** The first and the last day of a range of one's own. */
  from?: string;
  to?: string;
  compare?: '1';
}

export function readOverviewSearch(search: Record<string, unknown>): OverviewSearch {
  return {
    period: choiceOf(search.period, [...PERIOD_NAMES, CUSTOM]),
    from: dayIn(search.from),
    to: dayIn(search.to),
    compare: choiceOf(search.compare, ['1']),
  };
}

function dayIn(value: unknown): string | undefined {
  const text = textOf(value) ?? '';
  return isDay(text) ? text : undefined;
}

export function isDay(text: string): boolean {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}

const DAY_MS = 86_400_000;
export const FIRST_DAY = '1980-01-01';
/** Ten years of weeks, as much as the API returns. */
const DAYS_MAX = 3_640;

export function isRange(from: string, to: string): boolean {
  return isDay(from) && isDay(to) && FIRST_DAY <= from && from <= to && daysIn(from, to) <= DAYS_MAX;
}

function daysIn(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
}

/** What to ask the API for, and how to speak of it. */
export interface Span {
  interval: Interval;
  from: string;
  to?: string;
  /** As in "120 in 30 days". */
  label: string;
}

export function spanOf({ period = DEFAULT_PERIOD, from, to }: OverviewSearch): Span {
  if (period === CUSTOM && from && to && isRange(from, to)) {
    const days = daysIn(from, to);
    const interval = days <= 2 ? 'hour' : days <= 92 ? 'day' : 'week';
    const end = new Date(Date.parse(to) + DAY_MS).toISOString().slice(0, 10);
    return { interval, from, to: end, label: 'this period' };
  }
  const { interval, days, label } = periodOf(period === CUSTOM ? DEFAULT_PERIOD : period);
  return { interval, from: new Date(Date.now() - days * DAY_MS).toISOString(), label };
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
