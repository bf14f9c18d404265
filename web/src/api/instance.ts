import { queryOptions } from '@tanstack/react-query';
import { api, callTagged } from './client.ts';
import { queryClient } from './query-client.ts';

export const instanceQuery = queryOptions({
  queryKey: ['instance'],
  queryFn: () => callTagged(api.GET('/admin/v1/instance')),
});

/** In which days begin, as in charts. Pages of a waitlist wait for it; UTC if it cannot be loaded. */
export function installationZone(): string {
  return queryClient.getQueryData(instanceQuery.queryKey)?.defaultTimeZone ?? 'UTC';
}
