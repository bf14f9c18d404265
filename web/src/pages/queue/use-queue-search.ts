import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useFind } from '../../shell/use-find.ts';
import type { QueueSearch } from './queue-search.ts';

/** What the queue shows. Whom a link looks for is taken out of the address at once. */
export function useQueueSearch() {
  const address = useSearch({ from: '/shell/waitlists/$waitlistId/queue' });
  const kept = useFind();
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
