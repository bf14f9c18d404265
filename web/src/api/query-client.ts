import { type FetchQueryOptions, QueryClient } from '@tanstack/react-query';
import { ApiError } from './client.ts';

const FRESH_MS = 5_000;
const RETRIES = 2;
/** Short, because a person waits for the answer or the error. */
const RETRY_MS = 300;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      // Without a connection, a page shows the error instead of waiting for ever.
      networkMode: 'always',
      refetchOnReconnect: true,
      retryDelay: (count) => RETRY_MS * 2 ** count,
      // What the server refused stays refused. Only what did not get there is worth another attempt.
      retry: (count, error) => {
        const { status } = ApiError.from(error);
        return (status === 0 || status >= 500) && count < RETRIES;
      },
    },
  },
});

/** A page that waits for longer is better shown as a skeleton. */
const PREPARE_MS = 1_000;

/** Loads what decides on the layout of a page along with its scripts, so that nothing moves later. */
export function prepare<T, K extends readonly unknown[]>(query: FetchQueryOptions<T, Error, T, K>) {
  return Promise.race([
    queryClient.ensureQueryData(query).catch(() => undefined),
    new Promise((resolve) => {
      setTimeout(resolve, PREPARE_MS);
    }),
  ]);
}
