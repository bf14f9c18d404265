import { MutationCache, QueryClient } from '@tanstack/react-query';
import { toastError } from '../ui/toast.tsx';
import { ApiError } from './client.ts';

const FRESH_MS = 5_000;
const RETRIES = 2;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      // What the server refused stays refused. Only what did not get there is worth another attempt.
      retry: (count, error) => {
        const { status } = ApiError.from(error);
        return (status === 0 || status >= 500) && count < RETRIES;
      },
    },
  },
  mutationCache: new MutationCache({
    // A form that shows the error itself says so with `meta: { quiet: true }`.
    onError: (error, _variables, _context, { meta }) => {
      if (!meta?.quiet) toastError(error);
    },
  }),
});
