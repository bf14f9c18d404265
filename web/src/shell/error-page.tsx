import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { TriangleAlert } from 'lucide-react';
import { ApiError } from '../api/client.ts';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/cx.ts';
import { EmptyState } from '../ui/empty-state.tsx';

/** Its scripts are missing, most likely because the server was updated after this page was opened. */
const NOT_LOADED = /dynamically imported module|module script failed|preload CSS/i;

/** In place of a page that failed. The rest of the dashboard keeps working. */
export function ErrorPage({ error, reset, whole }: ErrorComponentProps & { whole?: boolean }) {
  const router = useRouter();
  const isUnloaded = error instanceof Error && NOT_LOADED.test(error.message);
  const tryAgain = async () => {
    await router.invalidate(); // What the page needs may be what failed.
    reset();
  };
  return (
    <div role="alert" className={cx('flex items-center justify-center', !whole && 'min-h-[60dvh]')}>
      <EmptyState
        icon={<TriangleAlert aria-hidden />}
        danger
        first
        title={isUnloaded ? 'This page could not be loaded' : 'This page could not be shown'}
        action={
          <Button look="primary" onClick={() => (isUnloaded ? location.reload() : void tryAgain())}>
            {isUnloaded ? 'Reload' : 'Try again'}
          </Button>
        }
      >
        {isUnloaded
          ? 'Doorlist was updated while you had it open, or the server cannot be reached.'
          : ApiError.from(error).sentence}
      </EmptyState>
    </div>
  );
}
