import { CircleAlert, Lock } from 'lucide-react';
import type { ReactNode } from 'react';
import { ApiError } from '../api/client.ts';
import { Button } from './button.tsx';
import { cx } from './cx.ts';

/** Asking again does not help. */
const REFUSALS = new Set([400, 403, 404, 413]);

interface QueryProblemProps {
  /** On the page itself, as opposed to inside a card. */
  framed?: boolean;
  query: { isError: boolean; error: unknown; data: unknown; refetch: () => unknown };
  children: ReactNode;
}

/** Shows what a query loaded, or why it could not. What was loaded before stays. */
export function QueryProblem({ framed, query, children }: QueryProblemProps) {
  if (!query.isError || query.data !== undefined) return children;
  const error = ApiError.from(query.error);
  const isForbidden = error.status === 403;
  return (
    <div
      role="alert"
      className={cx(
        'flex flex-col items-center gap-3 px-6 py-10 text-center',
        framed && 'rounded-lg bg-surface ring-1 ring-line',
      )}
    >
      <span
        className={cx(
          'flex size-11 items-center justify-center rounded-xl [&_svg]:size-5',
          isForbidden ? 'bg-hover text-mute' : 'bg-danger-soft text-danger',
        )}
      >
        {isForbidden ? <Lock aria-hidden /> : <CircleAlert aria-hidden />}
      </span>
      <p className="max-w-md font-medium text-pretty break-words">{error.sentence}</p>
      {!REFUSALS.has(error.status) && (
        <Button size="sm" onClick={() => query.refetch()}>
          Try again
        </Button>
      )}
    </div>
  );
}
