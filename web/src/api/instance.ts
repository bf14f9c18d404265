import { queryOptions } from '@tanstack/react-query';
import { api, call } from './client.ts';

export const instanceQuery = queryOptions({
  queryKey: ['instance'],
  queryFn: () => call(api.GET('/admin/v1/instance')),
});
