import { queryOptions } from '@tanstack/react-query';
import { api, call } from './client.ts';

const CHECK_MS = 15_000;

/** What the installation found out about itself, for support and above. */
export const healthQuery = queryOptions({
  queryKey: ['health'],
  queryFn: () => call(api.GET('/admin/v1/health')),
  refetchInterval: CHECK_MS,
});
