import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useMemo } from 'react';
import { environmentSearch, useScope } from '../../shell/waitlist-scope.ts';
import { Chart } from '../../ui/chart.tsx';
import { PeopleLink } from './people-link.tsx';
import { formatterFor } from './periods.ts';
import { previousQuery } from './previous-query.ts';
import type { Statistics } from './statistics-query.ts';

const Comparison = lazy(() => import('./comparison.tsx'));

/** Signups over time, and the people behind each point. */
export function SignupsChart({ statistics, compare }: { statistics: Statistics; compare: boolean }) {
  const { series, interval, timeZone, to } = statistics;
  const scope = useScope();
  const navigate = useNavigate();
  const { data: before } = useQuery({ ...previousQuery(scope, statistics), enabled: compare });
  const shown = compare ? before : undefined;
  const times = useMemo(() => series.map(({ at }) => at), [series]);
  const lines = useMemo(
    () => [
      { label: 'Signups', color: 'accent' as const, values: series.map(({ signups }) => signups) },
      {
        label: 'Referred',
        color: 'violet' as const,
        dashed: true,
        values: series.map(({ referred }) => referred),
      },
      ...(shown
        ? [
            {
              label: 'Signups before',
              color: 'mute' as const,
              past: true,
              values: series.map((_, index) => shown.series[index]?.signups ?? 0),
            },
          ]
        : []),
    ],
    [series, shown],
  );
  const during = useCallback(
    (index: number) => ({ joinedAfter: times[index], joinedBefore: times[index + 1] ?? to }),
    [times, to],
  );
  const running = Date.parse(to) > Date.now();
  return (
    <div className="flex flex-col gap-4">
      <Chart
        label="Signups over time"
        times={times}
        timeZone={timeZone}
        running={running}
        series={lines}
        formatTime={formatterFor(interval, timeZone)}
        onPick={(index) =>
          void navigate({
            to: '/waitlists/$waitlistId/queue',
            params: { waitlistId: scope.waitlistId },
            search: { ...environmentSearch(scope.environment), tab: 'all', ...during(index) },
          })
        }
        linkAt={(index, text) => <PeopleLink segment={during(index)}>{text}</PeopleLink>}
      />
      {shown && (
        <Suspense>
          <Comparison now={statistics} before={shown} running={running} />
        </Suspense>
      )}
    </div>
  );
}
