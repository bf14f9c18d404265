import type { Counters } from '../../api/live.tsx';
import { Stat, Stats } from '../../ui/card.tsx';
import { number } from '../../ui/number.ts';
import type { Statistics } from './statistics-query.ts';

interface OverviewStatsProps {
  confirmEmails: boolean;
  /** Undefined until they are loaded. */
  counters: Counters | undefined;
  totals: Statistics['totals'] | undefined;
  /** The statistics could not be loaded, and the counters may never come. */
  isError: boolean;
  /** The period, as in "120 in 30 days". */
  period: string;
}

/** How many people there are now, and what happened in the period. */
export function OverviewStats({ confirmEmails, counters, totals, isError, period }: OverviewStatsProps) {
  const now = (name: 'signups' | 'pending' | 'waiting' | 'invited' | 'joined') =>
    counters?.[name] ?? (isError ? null : undefined);
  const within = (count: number | undefined, what = '') =>
    count === undefined ? '\u00a0' : `${number(count)} ${what}in ${period}`;
  const invites = (count: number | undefined, what: 'sent' | 'accepted') => (
    // On a phone it takes two lines, also while it is loading.
    <span className="block max-md:min-h-[2lh]">
      {within(count, `${count === 1 ? 'invite' : 'invites'} ${what} `)}
    </span>
  );
  /** Anyone can be invited. Only people on the waitlist are counted as joined. */
  const others = (count: number | undefined) =>
    count !== undefined &&
    counters &&
    count > counters.joined && <span className="block">Counts people who are not on the waitlist, too.</span>;
  return (
    <Stats>
      <Stat label="Signups" value={now('signups')} about={within(totals?.signups)} />
      {confirmEmails && <Stat label="Pending" value={now('pending')} about="Asked to confirm" />}
      <Stat label="Waiting" value={now('waiting')} about="In line now" />
      <Stat label="Invited" value={now('invited')} about={invites(totals?.invited, 'sent')} />
      <Stat
        label="Joined"
        value={now('joined')}
        about={
          <>
            {invites(totals?.accepted, 'accepted')}
            {others(totals?.accepted)}
          </>
        }
      />
    </Stats>
  );
}
