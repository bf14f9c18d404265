import { Link } from '@tanstack/react-router';
import { Share2 } from 'lucide-react';
import { people } from '../../api/entries.ts';
import { environmentSearch, useScope } from '../../shell/waitlist-scope.ts';
import { Card } from '../../ui/card.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Bars, percent } from './bars.tsx';
import { PeopleLink } from './people-link.tsx';
import type { Statistics } from './statistics-query.ts';

/** Who brings others, and how much of the growth that is. */
export function ReferralsCard({ statistics }: { statistics: Statistics | undefined }) {
  return (
    <Card title="Top referrers" about="By the people they brought, of all time.">
      {statistics ? <Referrers {...statistics} /> : <Skeleton className="h-74" />}
    </Card>
  );
}

function Referrers({ topReferrers, referrals }: Statistics) {
  const scope = useScope();
  if (topReferrers.length === 0)
    return (
      <p className="flex items-center gap-2 text-mute">
        <Share2 className="size-4 shrink-0" aria-hidden />
        Nobody has referred anyone yet.
      </p>
    );
  return (
    <div className="flex flex-col gap-4">
      <Bars
        label="Top referrers"
        bars={topReferrers.slice(0, 6).map(({ entry }) => ({
          id: entry.id,
          label: (
            <Link
              to="/waitlists/$waitlistId/queue"
              params={{ waitlistId: scope.waitlistId }}
              search={{ ...environmentSearch(scope.environment), entry: entry.id }}
              className="rounded-sm underline-offset-4 hover:underline"
            >
              {entry.email ?? entry.id}
            </Link>
          ),
          value: entry.referrals,
          count: (text) => (
            <PeopleLink
              segment={{ referrer: entry.id }}
              label={`${people(entry.referrals)} referred by ${entry.email ?? entry.id}`}
            >
              {text}
            </PeopleLink>
          ),
        }))}
      />
      <dl className="grid grid-cols-2 gap-3 border-t pt-4 text-sm">
        <div>
          <dt className="text-mute">Signups by referral</dt>
          <dd className="font-medium tabular-nums">
            {referrals.share === null ? '–' : percent(referrals.share, 1)}
          </dd>
        </div>
        <div>
          <dt className="text-mute">Viral coefficient</dt>
          <dd className="font-medium tabular-nums">{referrals.viralCoefficient?.toFixed(2) ?? '–'}</dd>
        </div>
      </dl>
    </div>
  );
}
