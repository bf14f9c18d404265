import type { ReactNode } from 'react';

/** A frame around a table in the drawer. */
export function InDrawer({ children }: { children: ReactNode }) {
  return <div className="overflow-hidden rounded-lg bg-surface ring-1 ring-line">{children}</div>;
}
