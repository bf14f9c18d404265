import { queryOptions } from '@tanstack/react-query';
import { api, call, type Schemas } from '../../api/client.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';

export type FirstStep = Schemas['FirstStep'];

export const firstStepsQuery = ({ waitlistId, environment }: Scope) =>
  queryOptions({
    queryKey: ['first-steps', waitlistId, environment],
    queryFn: () =>
      call(
        api.GET('/admin/v1/waitlists/{waitlistId}/first-steps', {
          params: { path: { waitlistId }, query: { environment } },
        }),
      ),
  });
