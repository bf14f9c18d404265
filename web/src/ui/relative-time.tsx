import { useEffect, useState } from 'react';
import { Tooltip } from './tooltip.tsx';

const relative = new Intl.RelativeTimeFormat('en', { style: 'narrow' });
const EXACT: Intl.DateTimeFormatOptions = { dateStyle: 'medium', timeStyle: 'medium' };
/** In the time zone of the person who looks, which it names. */
const OWN: Intl.DateTimeFormatOptions = { dateStyle: 'medium', timeStyle: 'long' };
const DATE: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short', year: 'numeric' };
const exact = new Intl.DateTimeFormat('en', OWN);
const date = new Intl.DateTimeFormat('en', DATE);
const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 30],
];
const TICK_MS = 30_000;

interface RelativeTimeProps {
  at: string | null;
  /** Where it is not the time zone of the person who looks. It is named. */
  timeZone?: string | undefined;
}

/** "5 minutes ago", and the exact time on hover. A date when it is long ago. */
export function RelativeTime({ at, timeZone }: RelativeTimeProps) {
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((count) => count + 1), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  if (at === null) return <span className="text-mute">–</span>;
  const time = new Date(at);
  return (
    <Tooltip text={timeZone === undefined ? exact.format(time) : exactTimeIn(time, timeZone)}>
      <time dateTime={at} className="whitespace-nowrap">
        {sinceNow(time, timeZone)}
      </time>
    </Tooltip>
  );
}

function exactTimeIn(time: Date, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en', { ...EXACT, timeZone });
  return `${format.format(time)}, ${timeZone.replaceAll('_', ' ')}`;
}

export function exactTime(at: string): string {
  return exact.format(new Date(at));
}

function sinceNow(time: Date, timeZone: string | undefined): string {
  let amount = (time.getTime() - Date.now()) / 1_000;
  if (Math.abs(amount) < 10) return amount > 0 ? 'in a moment' : 'just now';
  for (const [unit, size] of UNITS) {
    // What is to come in 6.99 days comes in 7. What was 6.99 days ago is not a week old.
    const rounded = amount > 0 ? Math.round(amount) : Math.trunc(amount);
    if (Math.abs(rounded) < size) return relative.format(rounded, unit);
    amount /= size;
  }
  return (timeZone === undefined ? date : new Intl.DateTimeFormat('en', { ...DATE, timeZone })).format(time);
}
