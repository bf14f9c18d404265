import { useNavigate } from '@tanstack/react-router';
import type { Overlay } from './overlay.ts';
import { useKeys } from './use-keys.ts';
import { environmentSearch, useScopeIfAny } from './waitlist-scope.ts';

const APPLE = /Mac|iPhone|iPad/.test(navigator.userAgent);
export const MOD = APPLE ? '⌘' : 'Ctrl ';
type Page = '/waitlists/$waitlistId' | `/waitlists/$waitlistId/${'queue' | 'queue/review' | 'invites'}`;
/** Pages of the waitlist, by the second key. */
const PAGES: Record<string, Page> = {
  o: '/waitlists/$waitlistId',
  q: '/waitlists/$waitlistId/queue',
  r: '/waitlists/$waitlistId/queue/review',
  i: '/waitlists/$waitlistId/invites',
};

/** Keys that work everywhere, unless somebody is typing. */
export function useShortcuts(show: (overlay: Overlay) => void): void {
  const navigate = useNavigate();
  const scope = useScopeIfAny();
  useKeys(({ key, isCommand, isSecond, event }) => {
    if (isCommand) {
      if (key.toLowerCase() !== 'k') return;
      event.preventDefault();
      show('palette');
    } else if (key === '?') show('shortcuts');
    else if (key === '/') {
      event.preventDefault();
      const search = document.querySelector<HTMLElement>('main [type="search"]');
      if (search) search.focus();
      else show('palette');
    } else if (isSecond) {
      if (key === 'w') void navigate({ to: '/waitlists' });
      if (key === 'a') void navigate({ to: '/account' });
      const page = PAGES[key];
      if (page && scope)
        void navigate({
          to: page,
          params: { waitlistId: scope.waitlistId },
          search: environmentSearch(scope.environment),
        });
    }
  });
}
