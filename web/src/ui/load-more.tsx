import { Button } from './button.tsx';

interface LoadMoreProps {
  /** From `useInfiniteQuery`. */
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
}

/** For lists that continue with a cursor. */
export function LoadMore({ query }: LoadMoreProps) {
  if (!query.hasNextPage) return null;
  return (
    <div className="flex justify-center border-t p-3">
      <Button size="sm" look="quiet" busy={query.isFetchingNextPage} onClick={() => query.fetchNextPage()}>
        Load more
      </Button>
    </div>
  );
}
