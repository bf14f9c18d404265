import { useQuery } from '@tanstack/react-query';
import { instanceQuery } from '../../api/instance.ts';
import { useLive } from '../../api/live.tsx';
import type { Scope } from '../../shell/waitlist-scope.ts';
import type { OverviewSearch } from './periods.ts';
import { statisticsQuery } from './statistics-query.ts';
import { useRefreshOnChange } from './use-refresh-on-change.ts';

/** The statistics of the period in the address, in the time zone of the installation, and the numbers of right now. */
export function useStatistics(scope: Scope, search: OverviewSearch) {
  const { waitlistId, environment } = scope;
  const { counters, delivery } = useLive(waitlistId, environment);
  const instance = useQuery(instanceQuery);
  const timeZone = instance.data?.defaultTimeZone ?? 'UTC';
  const query = useQuery({ ...statisticsQuery(scope, search, timeZone), enabled: !instance.isPending });
  useRefreshOnChange(['statistics', waitlistId, environment], counters);
  return {
    query,
    timeZone,
    counters,
    delivery,
    /** What is shown until the period in the address is loaded. */
    isOfBefore: query.isPlaceholderData,
    totals: query.isPlaceholderData ? undefined : query.data?.totals,
  };
}
