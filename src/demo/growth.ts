import { DAY_MS, HOUR_MS } from '../lib/time.ts';
import { pickWeighted, type Random } from './random.ts';

export const DAYS = 90;
const LAUNCH_DAY = 52;
const PRESS_DAY = 79;

/** Signups by hour of the day in UTC: quiet nights, busy European and American days. */
const HOURS = [3, 2, 2, 1, 1, 2, 3, 5, 7, 8, 8, 8, 9, 10, 11, 12, 12, 11, 10, 9, 8, 7, 5, 4];

/** Steady growth, a launch, an article, and quiet weekends. */
function dayWeight(day: number, startsAt: number): number {
  const weekday = new Date(startsAt).getUTCDay();
  const weekend = weekday === 0 || weekday === 6 ? 0.6 : 1;
  const launch = day < LAUNCH_DAY ? 0 : 1_500 * Math.exp((LAUNCH_DAY - day) / 2.6);
  const press = day < PRESS_DAY ? 0 : 420 * Math.exp((PRESS_DAY - day) / 2.2);
  return (60 + 3 * day) * weekend + launch + press;
}

/** When people signed up: `count` times in order, over the days before `end`. */
export function signupTimes(random: Random, count: number, end: number): number[] {
  const days = Array.from({ length: DAYS }, (_, day) => {
    const startsAt = end - (DAYS - day) * DAY_MS;
    return [startsAt, dayWeight(day, startsAt)] as const;
  });
  return Array.from({ length: count }, () => timeOnDay(random, pickWeighted(random, days))).sort(
    (a, b) => a - b,
  );
}

function timeOnDay(random: Random, startsAt: number): number {
  const hours = HOURS.map((_, hour) => {
    const at = startsAt + hour * HOUR_MS;
    return [at, HOURS[new Date(at).getUTCHours()] as number] as const;
  });
  return Math.floor(pickWeighted(random, hours) + random() * HOUR_MS);
}
