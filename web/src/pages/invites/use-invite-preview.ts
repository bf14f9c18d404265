import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api, call, type Schemas } from '../../api/client.ts';
import { peopleKey } from '../../api/entries.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { useSettled } from '../../ui/use-settled.ts';

/** Who would be invited. `chosen` is undefined while too little is filled in to say. */
export function useInvitePreview(
  { waitlistId, environment }: Scope,
  chosen: Schemas['InviteRequest'] | undefined,
) {
  const text = JSON.stringify(chosen) ?? '';
  const asked = useSettled(text);
  const query = useQuery({
    queryKey: [...peopleKey({ waitlistId, environment }), 'preview', asked],
    enabled: asked !== '',
    placeholderData: keepPreviousData,
    retry: false,
    queryFn: async ({ signal }) =>
      (await call(
        api.POST('/admin/v1/waitlists/{waitlistId}/invites', {
          params: { path: { waitlistId }, query: { environment } },
          body: { ...JSON.parse(asked), dryRun: true },
          signal,
        }),
      )) as Schemas['InvitePreview'],
  });
  const isSettled = asked !== '' && asked === text;
  return {
    /** Not of what was chosen before and is no longer complete. */
    shown: text !== '' && asked !== '' && !query.isError ? query.data : undefined,
    /** How many are invited. Undefined while what is shown is about to be replaced. */
    count: isSettled && !query.isPlaceholderData && !query.isError ? query.data?.count : undefined,
    error: query.error,
    lookAgain: () => void query.refetch(),
  };
}
