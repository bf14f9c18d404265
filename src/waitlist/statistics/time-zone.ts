import { DAY_MS, HOUR_MS } from '../../lib/time.ts';
import { SLOT_MS } from '../queue/tally.ts';

/** No time zone is further from UTC. */
const OFFSET_MAX_MS = 15 * HOUR_MS;
const MOST_REMEMBERED = 1_000;

/** The local time of a time zone, as milliseconds that read as local when they are formatted as UTC. */
export interface TimeZone {
  localTime(time: number): number;
  /**
   * When a local day starts. `day` is its midnight, as if it were in UTC. The offset of an earlier day saves
   * time, because it is rarely another.
   */
  startOfDay(day: number, earlierOffset?: number): number;
}

const known = new Map<string, TimeZone | undefined>();

/** Returns undefined if there is no such IANA time zone. */
export function findTimeZone(name: string): TimeZone | undefined {
  if (known.has(name)) return known.get(name);
  if (known.size >= MOST_REMEMBERED) known.clear();
  const zone = openTimeZone(name);
  known.set(name, zone);
  return zone;
}

function openTimeZone(name: string): TimeZone | undefined {
  if (!/^[A-Za-z]/.test(name)) return undefined; // Offsets such as +02:00 have no daylight saving time.
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    return undefined;
  }
  const localTime = (time: number): number => {
    const [month = 1, day = 1, year = 0, hour = 0, minute = 0, second = 0] = format
      .format(time)
      .split(/\D+/)
      .map(Number);
    return Date.UTC(year, month - 1, day, hour, minute, second);
  };
  return { localTime, startOfDay: (day, earlierOffset) => startOfDay(localTime, day, earlierOffset) };
}

function startOfDay(localTime: TimeZone['localTime'], day: number, earlierOffset?: number): number {
  if (earlierOffset !== undefined && localTime(day - earlierOffset) === day) return day - earlierOffset;
  // Right unless the offset changes close to midnight.
  const guess = day - (localTime(day) - day);
  const better = day - (localTime(guess) - guess);
  if (localTime(better) === day && localTime(better - SLOT_MS) < day) return better;
  // Clocks change on a quarter of an hour. A day whose midnight is skipped starts later.
  let [before, after] = [day - OFFSET_MAX_MS, day + OFFSET_MAX_MS];
  while (after - before > SLOT_MS) {
    const middle = before + Math.floor((after - before) / SLOT_MS / 2) * SLOT_MS;
    if (localTime(middle) >= day) after = middle;
    else before = middle;
  }
  return after;
}

export function dayOf(localTime: number): number {
  return Math.floor(localTime / DAY_MS) * DAY_MS;
}

/** Weeks start on Monday. */
export function weekOf(localTime: number): number {
  const day = dayOf(localTime);
  return day - ((new Date(day).getUTCDay() + 6) % 7) * DAY_MS;
}
