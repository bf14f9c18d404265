import { useEffect, useSyncExternalStore } from 'react';
import { BASE_PATH } from '../base-path.ts';

/** Whether the session has ended while something was being written. */
let interrupted = false;
let leaving = false;
const drafts = new Set<object>();
const listeners = new Set<() => void>();

function set(next: boolean): void {
  interrupted = next;
  for (const listener of listeners) listener();
}

/** While it is active, an ended session does not leave the page: what was typed would be lost. */
export function useDraft(active: boolean): void {
  useEffect(() => {
    if (!active) return;
    const draft = {};
    drafts.add(draft);
    return () => {
      drafts.delete(draft);
    };
  }, [active]);
}

/**
 * Leaves for the sign-in page, which brings the operator back here. A fresh page keeps nothing in memory. With a
 * draft, the operator signs in on this page instead.
 */
export function sessionEnded(): void {
  if (interrupted || leaving || location.pathname === `${BASE_PATH}/sign-in`) return;
  if (drafts.size > 0) set(true);
  else leave();
}

export function leave(): void {
  leaving = true;
  drafts.clear();
  const here = `${location.pathname}${location.search}`;
  location.assign(`${BASE_PATH}/sign-in?ended=1&next=${encodeURIComponent(here)}`);
}

export function sessionResumed(): void {
  set(false);
}

export function useInterrupted(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => interrupted,
  );
}
