import type { ReactNode } from 'react';
import { ApiError } from '../api/client.ts';
import { Button } from './button.tsx';
import { cx } from './cx.ts';

interface QueryProblemProps {
  /** On the page itself, as opposed to inside a card. */
  framed?: boolean;
  query: { isError: boolean; error: unknown; data: unknown; refetch: () => unknown };
  children: ReactNode;
}

/** Shows what a query loaded, or why it could not. What was loaded before stays. */
export function QueryProblem({ framed, query, children }: QueryProblemProps) {
  if (!query.isError || query.data !== undefined) return children;
  return (
    <div
      role="alert"
      className={cx(
        'flex flex-col items-center gap-3 p-8 text-center',
        framed && 'rounded-lg bg-surface ring-1 ring-line',
      )}
    >
      <p className="text-danger">{ApiError.from(query.error).sentence}</p>
      <Button size="sm" onClick={() => query.refetch()}>
        Try again
      </Button>
    </div>
  );
}
