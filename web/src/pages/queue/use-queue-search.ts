import { useLocation, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { QueueSearch } from './queue-search.ts';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Whom the queue looks for. */
    find?: string | undefined;
  }
}

/**
 * What the queue shows. Addresses end up in logs and histories, so whom somebody looks for is kept beside the address:
 * it survives a reload and the back button, but is not in a link.
 */
export function useQueueSearch() {
  const address = useSearch({ from: '/shell/waitlists/$waitlistId/queue' });
  const kept = useLocation({ select: ({ state }) => state.find });
  const navigate = useNavigate({ from: '/waitlists/$waitlistId/queue' });
  const search: QueueSearch = { ...address, search: address.search ?? kept };
  const set = (change: Partial<QueueSearch>, replace = false) =>
    void navigate({
      search: (now) => ({ ...now, ...change, search: undefined }),
      state: (now) => ({ ...now, find: 'search' in change ? change.search : search.search }),
      replace,
      resetScroll: false,
    });
  useEffect(() => {
    if (address.search !== undefined)
      void navigate({
        search: (now) => ({ ...now, search: undefined }),
        state: (now) => ({ ...now, find: address.search }),
        replace: true,
      });
  }, [address.search, navigate]);
  return { search, set };
}
