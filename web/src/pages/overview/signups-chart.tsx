import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { environmentSearch, useScope } from '../../shell/waitlist-scope.ts';
import { Chart } from '../../ui/chart.tsx';
import { PeopleLink } from './people-link.tsx';
import { formatterFor } from './periods.ts';
import type { Statistics } from './statistics-query.ts';

interface SignupsChartProps {
  statistics: Statistics;
  /** Of the period before, in a line of its own. */
  before?: Statistics | undefined;
}

/** Signups over time, and the people behind each point. */
export function SignupsChart({ statistics, before }: SignupsChartProps) {
  const { series, interval, timeZone, to } = statistics;
  const scope = useScope();
  const navigate = useNavigate();
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
      ...(before
        ? [
            {
              label: 'Signups before',
              color: 'mute' as const,
              past: true,
              values: series.map((_, index) => before.series[index]?.signups ?? 0),
            },
          ]
        : []),
    ],
    [series, before],
  );
  const during = (index: number) => ({ joinedAfter: times[index], joinedBefore: times[index + 1] ?? to });
  return (
    <Chart
      label="Signups over time"
      times={times}
      timeZone={timeZone}
      running={Date.parse(to) > Date.now()}
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
  );
}
