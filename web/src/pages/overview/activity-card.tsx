import type { ReactNode } from 'react';
import { Card } from '../../ui/card.tsx';
import { number } from '../../ui/number.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Bars, percent } from './bars.tsx';
import { PeopleLink } from './people-link.tsx';
import type { Statistics } from './statistics-query.ts';

/** What happened in this period. Those who accepted may have been invited long before. */
export function ActivityCard({ statistics }: { statistics: Statistics | undefined }) {
  return (
    <Card title="Activity" about="In this period, whenever people joined.">
      {statistics ? <Steps {...statistics} /> : <Skeleton className="h-68" />}
    </Card>
  );
}

function Steps({ totals, invites, from, to }: Statistics) {
  const { signups, referred, invited, accepted, downloads, deletions } = totals;
  return (
    <div className="flex flex-col gap-4">
      <Bars
        label="Activity"
        bars={[
          {
            id: 'signups',
            label: <PeopleLink segment={{ joinedAfter: from, joinedBefore: to }}>Signed up</PeopleLink>,
            value: signups,
            about: '',
          },
          {
            id: 'referred',
            label: 'Came through a referral',
            value: referred,
            about: percent(referred, signups),
          },
          { id: 'invited', label: 'Invites sent', value: invited, about: '' },
          { id: 'accepted', label: 'Invites accepted', value: accepted, about: '' },
        ]}
      />
      <dl className="grid grid-cols-2 gap-3 border-t pt-4 text-sm">
        <Fact label="Open invites now">{number(invites.open)}</Fact>
        <Fact label="Time to accept">{duration(invites.timeToAccept.medianMs)}</Fact>
        <Fact label="Downloaded own data">{number(downloads)}</Fact>
        <Fact label="Deleted own data">{number(deletions)}</Fact>
      </dl>
    </div>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-mute">{label}</dt>
      <dd className="font-medium tabular-nums">{children}</dd>
    </div>
  );
}

const UNITS: [string, number][] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
];

/** The median, in its largest unit. */
function duration(ms: number | null): string {
  if (ms === null) return '–';
  const [unit, size] = UNITS.find(([, each]) => ms >= each) ?? ['s', 1_000];
  return `${number(Math.round(ms / size))} ${unit}`;
}
