import { useQuery } from '@tanstack/react-query';
import { waitlistsQuery } from '../api/waitlists.ts';
import { useLastScope } from './last-scope.ts';
import { PRODUCTION, useScopeIfAny } from './waitlist-scope.ts';

/** All waitlists, and the one that the page is about or that was left for it, once they are loaded. */
export function useWaitlists() {
  const here = useScopeIfAny();
  const last = useLastScope();
  const environment = here?.environment ?? PRODUCTION;
  const { data: waitlists } = useQuery(waitlistsQuery(environment));
  const find = (id: string | undefined) => waitlists?.find((waitlist) => waitlist.id === id);
  // It may have been deleted since.
  const scope = here ?? (find(last?.waitlistId) ? last : undefined);
  return {
    here,
    scope,
    environment: scope?.environment ?? environment,
    waitlists,
    current: find(scope?.waitlistId),
  };
}
