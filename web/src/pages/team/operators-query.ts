import { queryOptions } from '@tanstack/react-query';
import { api, call } from '../../api/client.ts';

export const operatorsQuery = queryOptions({
  queryKey: ['operators'],
  queryFn: async () => (await call(api.GET('/admin/v1/operators'))).operators,
});
