import type { ReactNode } from 'react';

/** A key to press. Screen readers have `aria-keyshortcuts`, and a phone has no keys. */
export function Kbd({ children }: { children: ReactNode }) {
  return (
    <kbd
      aria-hidden
      className="rounded-sm px-1 font-sans text-xs opacity-70 ring-1 ring-current/40 max-md:hidden"
    >
      {children}
    </kbd>
  );
}
