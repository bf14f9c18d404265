import { ApiError } from '../api/client.ts';
import { Button } from './button.tsx';

interface LoadMoreProps {
  /** From `useInfiniteQuery`. */
  query: {
    hasNextPage: boolean;
    isFetchingNextPage: boolean;
    isFetchNextPageError: boolean;
    error: unknown;
    fetchNextPage: () => unknown;
  };
}

/** For lists that continue with a cursor. */
export function LoadMore({ query }: LoadMoreProps) {
  if (!query.hasNextPage) return null;
  const hasFailed = query.isFetchNextPageError;
  return (
    <div className="flex flex-wrap items-center justify-center gap-x-3 gap-y-1 border-t p-3">
      {hasFailed && (
        <p role="alert" className="text-sm text-danger">
          {ApiError.from(query.error).sentence}
        </p>
      )}
      <Button size="sm" look="quiet" busy={query.isFetchingNextPage} onClick={() => query.fetchNextPage()}>
        {hasFailed ? 'Try again' : 'Load more'}
      </Button>
    </div>
  );
}
