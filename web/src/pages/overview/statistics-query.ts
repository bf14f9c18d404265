import { queryOptions } from '@tanstack/react-query';
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
  const isSameQueue = (key: readonly unknown[] = []) => key[1] === waitlistId && key[2] === environment;
  return queryOptions({
    queryKey: ['statistics', waitlistId, environment, period, from, to, timeZone] as const,
    queryFn: () => {
      const { label: _, ...span } = spanOf(search, timeZone);
      return call(
        api.GET('/admin/v1/waitlists/{waitlistId}/statistics', {
          params: { path: { waitlistId }, query: { environment, ...span } },
        }),
      );
    },
    // Of another period, until this one is loaded. Numbers of another waitlist would be taken for its own.
    placeholderData: (before, query) => (isSameQueue(query?.queryKey) ? before : undefined),
  });
}
