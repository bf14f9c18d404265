import { useQuery } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { useEffect } from 'react';
import { ApiError } from '../api/client.ts';
import { useLiveConnection } from '../api/live.tsx';
import { waitlistQuery } from '../api/waitlists.ts';
import { rememberScope } from './last-scope.ts';
import { NotFound } from './not-found.tsx';
import { type Scope, useScope } from './waitlist-scope.ts';

/** Around every page of a waitlist. */
export function WaitlistLayout() {
  const scope = useScope();
  const { error } = useQuery(waitlistQuery(scope));
  if (error instanceof ApiError && error.status === 404) return <NotFound why={error.sentence} />;
  return <LivePages {...scope} />;
}

/** Keeps the connection for live updates. */
function LivePages({ waitlistId, environment }: Scope) {
  useLiveConnection(waitlistId, environment);
  useEffect(() => rememberScope({ waitlistId, environment }), [waitlistId, environment]);
  return <Outlet />;
}
