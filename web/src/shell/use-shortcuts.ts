import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { Overlay } from './overlay.ts';
import { environmentSearch, useScopeIfAny } from './waitlist-scope.ts';

const APPLE = /Mac|iPhone|iPad/.test(navigator.userAgent);
export const MOD = APPLE ? '⌘' : 'Ctrl ';
/** The second key of a sequence must follow soon. */
const SEQUENCE_MS = 1_200;
/** Pages of the waitlist, by the second key. */
const PAGES: Record<string, '/waitlists/$waitlistId' | `/waitlists/$waitlistId/${'queue' | 'invites'}`> = {
  o: '/waitlists/$waitlistId',
  q: '/waitlists/$waitlistId/queue',
  i: '/waitlists/$waitlistId/invites',
};

/** Keys that work everywhere, unless somebody is typing. */
export function useShortcuts(show: (overlay: Overlay) => void): void {
  const navigate = useNavigate();
  const scope = useScopeIfAny();
  const went = useRef(0);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const key = keyOf(event);
      if ((event.metaKey || event.ctrlKey) && key.toLowerCase() === 'k') {
        event.preventDefault();
        show('palette');
        return;
      }
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
      if (key === '?') show('shortcuts');
      else if (key === '/') {
        event.preventDefault();
        const search = document.querySelector<HTMLElement>('main [type="search"]');
        if (search) search.focus();
        else show('palette');
      } else if (key === 'g') went.current = event.timeStamp;
      else if (event.timeStamp - went.current < SEQUENCE_MS) {
        went.current = 0;
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
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [show, navigate, scope]);
}

/** On a keyboard with another script, such as Arabic or Cyrillic: what the key has in the Latin one. */
function keyOf({ key, code, shiftKey }: KeyboardEvent): string {
  if (key.length !== 1 || /[ -~]/.test(key)) return key;
  if (code === 'Slash') return shiftKey ? '?' : '/';
  return code.replace(/^Key/, '').toLowerCase();
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest(
      'input, textarea, select, [contenteditable], [role="dialog"], [role="menu"], [role="listbox"]',
    ) !== null
  );
}
