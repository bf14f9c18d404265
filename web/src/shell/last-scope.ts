import { useLocation } from '@tanstack/react-router';
import { PRODUCTION, type Scope } from './waitlist-scope.ts';

const KEY = 'doorlist.waitlist';

export function rememberScope({ waitlistId, environment }: Scope): void {
  localStorage.setItem(KEY, `${waitlistId} ${environment}`);
}

/** The waitlist that somebody came from, on pages that belong to none. */
export function useLastScope(): Scope | undefined {
  const isOfNone = useLocation({ select: ({ pathname }) => /^\/(instance|account)\b/.test(pathname) });
  if (!isOfNone) return undefined;
  const [waitlistId, environment = PRODUCTION] = (localStorage.getItem(KEY) ?? '').split(' ');
  return waitlistId ? { waitlistId, environment } : undefined;
}
