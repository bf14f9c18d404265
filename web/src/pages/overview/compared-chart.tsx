import { useQuery } from '@tanstack/react-query';
import { useScope } from '../../shell/waitlist-scope.ts';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { Comparison } from './comparison.tsx';
import { previousQuery } from './previous-query.ts';
import { SignupsChart } from './signups-chart.tsx';
import type { Statistics } from './statistics-query.ts';

/** The chart with the period before. Loaded when it is asked for. */
export default function ComparedChart({ statistics }: { statistics: Statistics }) {
  const query = useQuery(previousQuery(useScope(), statistics));
  return (
    <div className="flex flex-col gap-4">
      <SignupsChart statistics={statistics} before={query.data} />
      <QueryProblem query={query}>
        {query.data && <Comparison now={statistics} before={query.data} />}
      </QueryProblem>
    </div>
  );
}
