import { invalid } from '../../lib/errors.ts';
import { DAY_MS, HOUR_MS, readDate, readTime } from '../../lib/time.ts';
import { SLOT_MS } from '../queue/tally.ts';
import { dayOf, findTimeZone, type TimeZone, weekOf } from './time-zone.ts';

export const INTERVALS = ['hour', 'day', 'week'] as const;
export type Interval = (typeof INTERVALS)[number];

const LENGTH_MS: Record<Interval, number> = { hour: HOUR_MS, day: DAY_MS, week: 7 * DAY_MS };

/** Enough for a chart, and read in a few milliseconds. */
export const MOST_INTERVALS: Record<Interval, { count: number; words: string }> = {
  hour: { count: 31 * 24 + 1, words: '31 days' }, // One of them may have 25 hours.
  day: { count: 731, words: '2 years' },
  week: { count: 523, words: '10 years' }, // They seldom begin with a Monday.
};
const DEFAULT_COUNT: Record<Interval, number> = { hour: 24, day: 30, week: 12 };

/** What to show: each part of the time, in order, without gaps. */
export interface Period {
  readonly interval: Interval;
  readonly timeZone: string;
  readonly from: number;
  readonly to: number;
  /** When each interval starts. */
  readonly starts: readonly number[];
}

interface PeriodInput {
  interval?: Interval | undefined;
  timeZone?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

/** Reads a period. It is widened to whole intervals of the time zone. */
export function parsePeriod(input: PeriodInput, now: number): Period {
  const { interval = 'day', timeZone = 'UTC' } = input;
  const zone = findTimeZone(timeZone);
  if (!zone) throw invalid('timeZone: must be the name of a time zone, such as Europe/Berlin');
  const end = input.to === undefined ? now + 1 : parseMoment(input.to, 'to', zone);
  const first =
    input.from === undefined
      ? startBefore(zone, interval, end)
      : floor(zone, interval, parseMoment(input.from, 'from', zone));
  if (first >= end)
    throw invalid(
      input.to === undefined
        ? 'from: must be in the past: without to, the period ends now'
        : 'to: must be after from',
    );
  const { count, words } = MOST_INTERVALS[interval];
  const starts: number[] = [];
  for (const start of startsFrom(zone, interval, first)) {
    if (start >= end) return { interval, timeZone, from: first, to: start, starts };
    if (starts.length === count) throw invalid(`from: at most ${words} by ${interval}`);
    starts.push(start);
  }
  throw new Error('time ended');
}

function startBefore(zone: TimeZone, interval: Interval, end: number): number {
  const last = floor(zone, interval, end - 1);
  const earlier = (DEFAULT_COUNT[interval] - 1) * LENGTH_MS[interval];
  if (interval === 'hour') return startOfHour(zone, last - earlier);
  return zone.startOfDay(dayOf(zone.localTime(last)) - earlier);
}

function floor(zone: TimeZone, interval: Interval, time: number): number {
  const local = zone.localTime(time);
  if (interval === 'hour') return startOfHour(zone, time);
  return zone.startOfDay(interval === 'day' ? dayOf(local) : weekOf(local));
}

/** Of the clock on the wall. */
function startOfHour(zone: TimeZone, time: number): number {
  let start = time - (zone.localTime(time) % HOUR_MS) - (time % 1000);
  // Half an hour before, the clock may have been changed by half an hour, as on Lord Howe Island.
  start -= zone.localTime(start) % HOUR_MS;
  for (let next = start; next <= time; next = nextHour(zone, start)) start = next;
  return start;
}

/** An hour later, or when the clock shows another hour: an hour in which it was changed can be shorter or longer. */
function nextHour(zone: TimeZone, start: number): number {
  const [usual, local] = [start + HOUR_MS, zone.localTime(start)];
  if (local % HOUR_MS === 0 && zone.localTime(usual) - local === HOUR_MS) return usual;
  const hourOf = (time: number) => Math.floor(zone.localTime(time) / HOUR_MS);
  const hour = hourOf(start);
  for (let next = start + SLOT_MS; ; next += SLOT_MS) {
    if (hourOf(next) !== hour) return next;
    if (next - start >= HOUR_MS && zone.localTime(next) % HOUR_MS === 0) return next;
  }
}

function* startsFrom(zone: TimeZone, interval: Interval, first: number): Generator<number> {
  if (interval === 'hour') for (let start = first; ; start = nextHour(zone, start)) yield start;
  let day = dayOf(zone.localTime(first));
  for (let start = first; ; ) {
    yield start;
    const [offset, before] = [day - start, start];
    // A day that a time zone skipped does not start at all.
    while (start <= before) {
      day += LENGTH_MS[interval];
      start = zone.startOfDay(day, offset);
    }
  }
}

/** Before this there is nothing to count, and offsets are not multiples of a quarter of an hour. */
const EARLIEST = Date.UTC(1980, 0, 1);
const LATEST = Date.UTC(2200, 0, 1);

/** A time, or a date, which means its midnight in the time zone. */
function parseMoment(text: string, field: string, zone: TimeZone): number {
  const day = readDate(text);
  const moment = day === undefined ? readTime(text) : zone.startOfDay(day);
  if (moment === undefined)
    throw invalid(`${field}: must be a date such as 2026-11-01, or a time such as 2026-11-01T00:00:00Z`);
  if (moment < EARLIEST || moment >= LATEST) throw invalid(`${field}: must be from 1980 to 2199`);
  return moment;
}
