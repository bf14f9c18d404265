import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import { api, call } from '../../api/client.ts';
import { type Entry, entryQuery } from '../../api/entries.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { AHEAD, type Rows } from './use-rows.ts';

/** What the API takes. Longer links have a person of their own, so they are looked up. */
export const SEARCH_CHARACTERS_MAX = 200;
/** So many are found without asking whether to go on: a short text can be in everybody's data. */
const FOUND_AT_ONCE = 200;

export type SearchRows = ReturnType<typeof useSearchRows>;

/**
 * People found by looking through everybody's data, page by page until the end, until enough were found, or until it is
 * stopped. Another text ends the search before. Signups and changes do not begin it again, because each search is recorded.
 */
export function useSearchRows(scope: Scope, text: string | undefined) {
  const { waitlistId, environment } = scope;
  const client = useQueryClient();
  const queryKey = ['search', waitlistId, environment, text];
  const name = JSON.stringify(queryKey);
  const [stopped, setStopped] = useState<string>();
  const [enough, setEnough] = useState({ name, count: FOUND_AT_ONCE });
  const query = useInfiniteQuery({
    queryKey,
    enabled: text !== undefined,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor, signal }) =>
      call(
        api.GET('/admin/v1/waitlists/{waitlistId}/entries/search', {
          params: { path: { waitlistId }, query: { environment, q: text ?? '', cursor } },
          signal,
        }),
      ),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnReconnect: false,
  });
  const { data, hasNextPage, isFetching, isError, fetchNextPage } = query;
  const found = data?.pages.flatMap(({ entries }) => entries) ?? [];
  const isStopped = stopped === name;
  const isFull = found.length >= (enough.name === name ? enough.count : FOUND_AT_ONCE);
  const goesOn = hasNextPage && !isStopped && !isFull && !isError;
  useEffect(() => {
    if (goesOn && !isFetching) void fetchNextPage();
  }, [goesOn, isFetching, fetchNextPage]);

  const length = found.length;
  const goOn = useCallback(() => {
    setStopped(undefined);
    setEnough({ name, count: length + FOUND_AT_ONCE });
  }, [name, length]);
  const isPaused = hasNextPage && isFull;
  const onShow = useCallback(
    (_first: number, end: number) => {
      if (end > length && isPaused) goOn();
    },
    [length, isPaused, goOn],
  );
  const rows: Rows = {
    count: isPaused && !isStopped ? length + AHEAD : length,
    // As it is by now, if somebody has opened and changed it here.
    rowAt: (index) => {
      const entry = found[index];
      return entry && (client.getQueryData<Entry>(entryQuery(scope, entry.id).queryKey) ?? entry);
    },
    onShow,
    loaded: found,
    isLoading: query.isPending && !isStopped,
    error: isError && !data ? query.error : undefined,
    retry: () => void query.refetch(),
  };
  const { looked = 0, total = 0, unreadable = 0 } = data?.pages.at(-1) ?? {};
  return {
    rows,
    ...{ looked, total, unreadable },
    state: stateOf(),
    /** Why the next page could not be loaded. */
    error: isError && data ? query.error : undefined,
    stop: () => {
      setStopped(name);
      void client.cancelQueries({ queryKey });
    },
    goOn: () => (isError ? void fetchNextPage() : goOn()),
  };

  function stateOf(): 'looking' | 'stopped' | 'paused' | 'failed' | 'done' {
    if (isError) return 'failed';
    if (isStopped) return 'stopped';
    if (isPaused && !isFetching) return 'paused';
    return query.isPending || hasNextPage ? 'looking' : 'done';
  }
}
