import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, call, type Schemas } from '../../api/client.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { type PeriodName, periodOf } from './periods.ts';

export type Statistics = Schemas['Statistics'];

const DAY_MS = 86_400_000;

export function statisticsQuery({ waitlistId, environment }: Scope, period: PeriodName) {
  return queryOptions({
    queryKey: ['statistics', waitlistId, environment, period],
    queryFn: () => {
      const { interval, days } = periodOf(period);
      const from = new Date(Date.now() - days * DAY_MS).toISOString();
      return call(
        api.GET('/admin/v1/waitlists/{waitlistId}/statistics', {
          params: { path: { waitlistId }, query: { environment, interval, from } },
        }),
      );
    },
    placeholderData: keepPreviousData,
  });
}
