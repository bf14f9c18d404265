import type { ErrorComponentProps } from '@tanstack/react-router';
import { TriangleAlert } from 'lucide-react';
import { ApiError } from '../api/client.ts';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';

/** In place of a page that failed. The rest of the dashboard keeps working. */
export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const stale = /dynamically imported module|module script failed/i.test(ApiError.from(error).message);
  return (
    <div role="alert" className="rounded-lg bg-surface ring-1 ring-line">
      <EmptyState
        icon={<TriangleAlert aria-hidden />}
        first
        title={stale ? 'There is a new version' : 'This page could not be shown'}
        action={
          <Button look="primary" onClick={() => (stale ? location.reload() : reset())}>
            {stale ? 'Reload' : 'Try again'}
          </Button>
        }
      >
        {stale ? 'Doorlist was updated while this page was open.' : ApiError.from(error).sentence}
      </EmptyState>
    </div>
  );
}
