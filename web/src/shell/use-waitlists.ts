import { useQuery } from '@tanstack/react-query';
import { waitlistsQuery } from '../api/waitlists.ts';
import { PRODUCTION, useScopeIfAny } from './waitlist-scope.ts';

/** All waitlists, and the one that the page is about, once they are loaded. */
export function useWaitlists() {
  const scope = useScopeIfAny();
  const environment = scope?.environment ?? PRODUCTION;
  const { data: waitlists } = useQuery(waitlistsQuery(environment));
  const current = waitlists?.find(({ id }) => id === scope?.waitlistId);
  return { scope, environment, waitlists, current };
}
