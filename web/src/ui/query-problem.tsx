import type { ReactNode } from 'react';
import { ApiError } from '../api/client.ts';
import { Button } from './button.tsx';

interface QueryProblemProps {
  query: { isError: boolean; error: unknown; data: unknown; refetch: () => unknown };
  children: ReactNode;
}

/** Shows what a query loaded, or why it could not. What was loaded before stays. */
export function QueryProblem({ query, children }: QueryProblemProps) {
  if (!query.isError || query.data !== undefined) return children;
  return (
    <div role="alert" className="flex flex-col items-center gap-3 p-8 text-center">
      <p className="text-danger">{ApiError.from(query.error).sentence}</p>
      <Button size="sm" onClick={() => query.refetch()}>
        Try again
      </Button>
    </div>
  );
}
