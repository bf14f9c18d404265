import { lazy, Suspense } from 'react';
import type { NotFoundProps } from './not-found-page.tsx';

const NotFoundPage = lazy(() => import('./not-found-page.tsx'));

/** Few people ever see it, so that it is not part of the first load. */
export function NotFound(props: NotFoundProps) {
  return (
    <Suspense>
      <NotFoundPage {...props} />
    </Suspense>
  );
}
