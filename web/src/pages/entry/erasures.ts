import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { api, call, type Schemas } from '../../api/client.ts';
import { peopleKey, refreshPeople } from '../../api/entries.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';

export type ErasureRequest = Schemas['ErasureRequest'];

/** The erasures that support asked for and nobody has decided yet: of all people, or of one. */
export const erasuresQuery = (scope: Scope, entry?: string) =>
  queryOptions({
    queryKey: [...peopleKey(scope), 'erasure-requests', entry ?? ''],
    queryFn: () =>
      call(
        api.GET('/admin/v1/waitlists/{waitlistId}/erasure-requests', {
          params: {
            path: { waitlistId: scope.waitlistId },
            query: { environment: scope.environment, state: 'open', ...(entry ? { entry } : {}) },
          },
        }),
      ),
  });

export async function decideErasure(
  client: QueryClient,
  { waitlistId, environment }: Scope,
  requestId: string,
  decision: 'confirm' | 'refuse',
): Promise<void> {
  const params = { path: { waitlistId, requestId }, query: { environment } };
  await call(
    decision === 'confirm'
      ? api.POST('/admin/v1/waitlists/{waitlistId}/erasure-requests/{requestId}/confirm', { params })
      : api.POST('/admin/v1/waitlists/{waitlistId}/erasure-requests/{requestId}/refuse', { params }),
  );
  await refreshPeople(client, { waitlistId, environment });
}
