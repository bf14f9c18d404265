import { Outlet } from '@tanstack/react-router';
import { useLiveConnection } from '../api/live.tsx';
import { useScope } from './waitlist-scope.ts';

/** Around every page of a waitlist: keeps the connection for live updates. */
export function WaitlistLayout() {
  const { waitlistId, environment } = useScope();
  useLiveConnection(waitlistId, environment);
  return <Outlet />;
}
