import { useMatch, useNavigate, useRouterState } from '@tanstack/react-router';

export const PRODUCTION = 'production';

export interface Scope {
  waitlistId: string;
  environment: string;
}

/** The waitlist and environment of the address, or undefined outside of a waitlist. */
export function useScopeIfAny(): Scope | undefined {
  const match = useMatch({ from: '/shell/waitlists/$waitlistId', shouldThrow: false });
  return (
    match && { waitlistId: match.params.waitlistId, environment: match.search.environment ?? PRODUCTION }
  );
}

/** The waitlist and environment of the address. For pages of a waitlist. */
export function useScope(): Scope {
  const scope = useScopeIfAny();
  if (!scope) throw new Error('this is not a page of a waitlist');
  return scope;
}

/** For links: production is the default and stays out of addresses. */
export function environmentSearch(environment: string): { environment?: string | undefined } {
  return { environment: environment === PRODUCTION ? undefined : environment };
}

/** Shows the same page in another environment. Filters stay behind: they are about other people. */
export function useSwitchEnvironment(): (environment: string) => void {
  const navigate = useNavigate();
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  return (environment) => void navigate({ to: pathname, search: environmentSearch(environment) as never });
}
