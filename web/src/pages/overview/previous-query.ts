import { queryOptions } from '@tanstack/react-query';
import { api, call } from '../../api/client.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import type { Statistics } from './statistics-query.ts';

const HOUR_MS = 3_600_000;
const HOURS = { hour: 1, day: 24, week: 168 };

/** As many hours, days or weeks, right before. */
export function previousQuery({ waitlistId, environment }: Scope, now: Statistics) {
  const { interval, timeZone } = now;
  const length = now.series.length * HOURS[interval] * HOUR_MS;
  // The API takes the start of the day. At noon, a change of the clocks does not lead to another one.
  const noon = interval === 'hour' ? 0 : 12 * HOUR_MS;
  const from = new Date(Date.parse(now.from) - length + noon).toISOString();
  return queryOptions({
    queryKey: ['statistics', waitlistId, environment, 'before', interval, from, now.from],
    queryFn: () =>
      call(
        api.GET('/admin/v1/waitlists/{waitlistId}/statistics', {
          params: {
            path: { waitlistId },
            query: { environment, interval, timeZone, from, to: now.from },
          },
        }),
      ),
  });
}
