import { useLocation } from '@tanstack/react-router';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Whom the page looks for. */
    find?: string | undefined;
  }
}

/**
 * Whom a page looks for. Addresses end up in logs and histories, so this is kept beside the address: it survives a
 * reload and the back button, but is not in a link.
 */
export function useFind(): string | undefined {
  return useLocation({ select: ({ state }) => state.find });
}
