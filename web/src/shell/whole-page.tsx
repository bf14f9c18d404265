import type { ReactNode } from 'react';
import { Wordmark } from './mark.tsx';

/** A page without the dashboard around it. */
export function WholePage({ children }: { children: ReactNode }) {
  return (
    <div className="flex min-h-dvh flex-col items-center justify-center px-4 py-10">
      <header>
        <Wordmark />
      </header>
      <main>{children}</main>
    </div>
  );
}
