import type { Problems } from '../../lib/errors.ts';
import { DAY_MS, MINUTE_MS, readDate } from '../../lib/time.ts';
import { dayOf, findTimeZone, type TimeZone } from '../statistics/time-zone.ts';

export const WEEKDAYS = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const;
export type Weekday = (typeof WEEKDAYS)[number];
export const REPEATS = ['once', 'daily', 'weekly', 'monthly'] as const;

/** A rule of wall clocks in a time zone. */
export interface Schedule {
  timeZone: string;
  /** Hours and minutes: 09:00. */
  time: string;
  repeat: (typeof REPEATS)[number];
  /** The only day, or the first possible one: 2026-12-01. */
  date?: string | undefined;
  /** For `weekly`. */
  days?: readonly Weekday[] | undefined;
  /** For `monthly`. Shorter months run on their last day. */
  dayOfMonth?: number | undefined;
}

/** The longest gap between two days of a rule is that from the 31st of a month to the end of the next one. */
const DAYS_AHEAD = 63;
/** Further from any change of clocks than a time zone is from UTC. */
const AWAY_MS = 2 * DAY_MS;
const SECOND_MS = 1_000;

export function checkSchedule(schedule: Schedule, problems: Problems): void {
  const { timeZone, time, repeat, date, days, dayOfMonth } = schedule;
  const problem = (name: string, message: string) => problems.add(`schedule.${name}`, message);
  if (!findTimeZone(timeZone)) problem('timeZone', 'must be the name of a time zone, such as Europe/Berlin');
  if (!/^([01]\d|2[0-3]):[0-5]\d$/.test(time)) problem('time', 'must be a time of day, such as 09:00');
  if (date !== undefined && readDate(date) === undefined)
    problem('date', 'must be a date, such as 2026-12-01');
  if (repeat === 'once' && date === undefined) problem('date', 'is required for a wave that runs once');
  if (repeat === 'weekly' && !days?.length) problem('days', 'needs at least one day of the week');
  if (repeat !== 'weekly' && days !== undefined) problem('days', 'is only for weekly waves');
  if (repeat === 'monthly' && !(dayOfMonth && dayOfMonth >= 1 && dayOfMonth <= 31))
    problem('dayOfMonth', 'must be 1 to 31');
  if (repeat !== 'monthly' && dayOfMonth !== undefined) problem('dayOfMonth', 'is only for monthly waves');
}

/** The first time of the rule after this one, or null if there is none. */
export function nextTime(schedule: Schedule, after: number): number | null {
  const zone = findTimeZone(schedule.timeZone);
  if (!zone) throw new Error(`there is no time zone ${schedule.timeZone}`);
  const first = schedule.date === undefined ? Number.NEGATIVE_INFINITY : (readDate(schedule.date) ?? 0);
  const [hours = 0, minutes = 0] = schedule.time.split(':').map(Number);
  const ofDay = (day: number) => instantOf(zone, day + (60 * hours + minutes) * MINUTE_MS);
  if (schedule.repeat === 'once') return ofDay(first) > after ? ofDay(first) : null;
  // A time that a day skips comes on the next one.
  const from = Math.max(dayOf(zone.localTime(after)) - DAY_MS, first);
  for (let day = from; day < from + DAYS_AHEAD * DAY_MS; day += DAY_MS) {
    if (isDayOf(schedule, day) && ofDay(day) > after) return ofDay(day);
  }
  throw new Error('a schedule has no next time');
}

/**
 * How late a run may be: less than the time to the next one. One that is not repeated has a day, which begins anew when
 * its wave is resumed.
 */
export function mustStartBefore(schedule: Schedule, time: number, resumedAt = 0): number {
  if (schedule.repeat === 'once') return Math.max(time, resumedAt) + DAY_MS;
  return nextTime(schedule, time) ?? time + DAY_MS;
}

function isDayOf({ repeat, days = [], dayOfMonth = 1 }: Schedule, day: number): boolean {
  const date = new Date(day);
  if (repeat === 'weekly') return days.includes(WEEKDAYS[(date.getUTCDay() + 6) % 7] as Weekday);
  if (repeat !== 'monthly') return true;
  const lastOfMonth = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  return date.getUTCDate() === Math.min(dayOfMonth, lastOfMonth);
}

/**
 * When clocks first show this local time. One that they skip in spring is taken to be the first one that they
 * show after it.
 */
function instantOf(zone: TimeZone, local: number): number {
  const offsetAt = (time: number) => zone.localTime(time) - time;
  const [early, late] = [local - offsetAt(local - AWAY_MS), local - offsetAt(local + AWAY_MS)];
  const shown = [early, late].filter((time) => zone.localTime(time) === local);
  if (shown.length > 0) return Math.min(...shown);
  let [before, after] = [late, early];
  while (after - before > SECOND_MS) {
    const middle = before + Math.floor((after - before) / SECOND_MS / 2) * SECOND_MS;
    if (zone.localTime(middle) >= local) after = middle;
    else before = middle;
  }
  return after;
}
