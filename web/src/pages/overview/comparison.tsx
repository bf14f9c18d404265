import { useQuery } from '@tanstack/react-query';
import { waitlistQuery } from '../../api/waitlists.ts';
import { useScope } from '../../shell/waitlist-scope.ts';
import { number } from '../../ui/number.ts';
import type { Statistics } from './statistics-query.ts';

const COUNTED = [
  ['signups', 'Signed up'],
  ['referred', 'Came through a referral'],
  ['invited', 'Invites sent'],
  ['accepted', 'Invites accepted'],
] as const;

interface ComparisonProps {
  now: Statistics;
  before: Statistics;
}

/** The numbers of the period beside those of the one before. */
export function Comparison({ now, before }: ComparisonProps) {
  const { data: waitlist } = useQuery(waitlistQuery(useScope()));
  const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: now.timeZone });
  const created = waitlist?.createdAt;
  const isWhole = created !== undefined && created <= before.from;
  const last = new Date(Date.parse(before.to) - 1);
  return (
    <section aria-label="Compared with before" className="flex flex-col gap-3 border-t pt-4 text-sm">
      <p className="text-mute">
        Compared with {day.formatRange(new Date(before.from), last)}.
        {created !== undefined &&
          !isWhole &&
          ` The waitlist was created on ${day.format(new Date(created))}, so that period is not whole.`}
        {Date.parse(now.to) > Date.now() &&
          ` The last ${now.interval} is not over, so these numbers still grow.`}
      </p>
      <dl className="grid grid-cols-2 gap-3 md:grid-cols-4">
        {COUNTED.map(([name, label]) => (
          <div key={name} className="min-w-0">
            <dt className="text-mute">{label}</dt>
            <dd className="font-medium tabular-nums">
              {number(now.totals[name])}
              <span className="pl-1.5 font-normal text-mute">
                {isWhole && changeOf(now.totals[name], before.totals[name])}
                {number(before.totals[name])} before
              </span>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function changeOf(now: number, before: number): string {
  if (now === before) return 'no change, ';
  if (before === 0) return '';
  const change = Math.round(((now - before) / before) * 100);
  return `${change > 0 ? '+' : '−'}${number(Math.abs(change))}%, `;
}
