import { lazy, Suspense } from 'react';
import type { EntryDrawerProps } from './open-entry-drawer.tsx';

const OpenDrawer = lazy(() => import('./open-entry-drawer.tsx'));

/** Everything about one person. */
export function EntryDrawer({ entryId, ...rest }: EntryDrawerProps) {
  return (
    entryId !== undefined && (
      <Suspense>
        <OpenDrawer key={entryId} entryId={entryId} {...rest} />
      </Suspense>
    )
  );
}
