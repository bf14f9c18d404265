import type { Schemas } from '../../api/client.ts';

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
