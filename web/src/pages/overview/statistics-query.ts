import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, call, type Schemas } from '../../api/client.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { type OverviewSearch, spanOf } from './periods.ts';

export type Statistics = Schemas['Statistics'];

export function statisticsQuery(
  { waitlistId, environment }: Scope,
  search: OverviewSearch,
  timeZone: string,
) {
  const { period, from, to } = search;
  return queryOptions({
    queryKey: ['statistics', waitlistId, environment, period, from, to, timeZone],
    queryFn: () => {
      const { label: _, ...span } = spanOf(search, timeZone);
      return call(
        api.GET('/admin/v1/waitlists/{waitlistId}/statistics', {
          params: { path: { waitlistId }, query: { environment, ...span } },
        }),
      );
    },
    placeholderData: keepPreviousData,
  });
}
