import { type QueryClient, useInfiniteQuery, useQueries, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { EntryStatus } from '../../api/choices.ts';
import { api, call } from '../../api/client.ts';
import { type Entry, peopleKey } from '../../api/entries.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import type { Segment } from './segment.ts';
import { conditionsOf } from './segment-words.ts';

const PAGE_ROWS = 100;
/** Pages that fly by while somebody drags the scroll bar are not worth a request. */
const SETTLE_MS = 60;
const KEPT_MS = 60_000;
/** Rows that stand for what is not loaded yet. */
export const AHEAD = 20;
/** A longer list is not loaded again with every change. */
const REFRESHED_PAGES = 3;

export interface Rows {
  count: number;
  rowAt: (index: number) => Entry | undefined;
  onShow: (first: number, end: number) => void;
  /** Loaded so far, for what can be told about them. */
  loaded: Entry[];
  isLoading: boolean;
  error: unknown;
  retry: () => void;
}

/** Rows by their number: everyone in line, or everyone who ever joined. */
interface NumberedView {
  sort: 'position' | 'joined';
  newestFirst: boolean;
  count: number;
}

export function useNumberedRows(scope: Scope, view: NumberedView | undefined): Rows {
  const client = useQueryClient();
  const { sort = 'position', newestFirst = false, count = 0 } = view ?? {};
  const [shown, setShown] = useState({ first: 0, end: 1 });
  const settling = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(settling.current), []);

  const numberOf = (index: number) => (newestFirst ? count - 1 - index : index);
  const pages =
    view && count > 0 ? pagesOf(numberOf(shown.first), numberOf(Math.min(shown.end, count) - 1)) : [];
  const keyOf = (page: number) => [...peopleKey(scope), 'rows', sort, page];
  // A page that nobody looks at any more is aborted, because its request takes the signal.
  const results = useQueries({
    queries: pages.map((page) => ({
      queryKey: keyOf(page),
      queryFn: ({ signal }: { signal: AbortSignal }) => readNumbered(scope, sort, page, signal),
      gcTime: KEPT_MS,
    })),
  });
  const onShow = useCallback((first: number, end: number) => {
    clearTimeout(settling.current);
    settling.current = setTimeout(() => setShown({ first, end }), SETTLE_MS);
  }, []);
  const failed = results.find(({ isError, data }) => isError && !data);
  return {
    count,
    rowAt: (index) => {
      const number = numberOf(index);
      return client.getQueryData<Entry[]>(keyOf(Math.floor(number / PAGE_ROWS)))?.[number % PAGE_ROWS];
    },
    onShow,
    loaded: results.flatMap(({ data }) => data ?? []),
    isLoading: false,
    error: failed?.error,
    retry: () => void failed?.refetch(),
  };
}

function pagesOf(one: number, other: number): number[] {
  const first = Math.max(0, Math.floor(Math.min(one, other) / PAGE_ROWS));
  const last = Math.max(first, Math.floor(Math.max(one, other) / PAGE_ROWS));
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

async function readNumbered(
  { waitlistId, environment }: Scope,
  sort: 'position' | 'joined',
  page: number,
  signal: AbortSignal,
): Promise<Entry[]> {
  const query = { environment, sort, at: page * PAGE_ROWS, limit: PAGE_ROWS };
  const { entries } = await call(
    api.GET('/admin/v1/waitlists/{waitlistId}/entries', { params: { path: { waitlistId }, query }, signal }),
  );
  return entries;
}

/** Rows one page after the other: a status, a segment, or the one person that a search found. */
export interface PagedView {
  status?: EntryStatus | undefined;
  segment?: Segment;
  search?: string;
}

type PagedRows = Rows & {
  total: number | null | undefined;
  /** Why the next page could not be loaded. */
  restError: unknown;
  retryRest: () => void;
};

export function usePagedRows(scope: Scope, view: PagedView | undefined): PagedRows {
  const { waitlistId, environment } = scope;
  const query = useInfiniteQuery({
    queryKey: [...peopleKey(scope), 'paged', view],
    enabled: view !== undefined,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor, signal }) => {
      const { status, segment = {}, search } = view ?? {};
      const filter =
        search === undefined ? { status, ...conditionsOf(segment), limit: PAGE_ROWS } : { search };
      return call(
        api.GET('/admin/v1/waitlists/{waitlistId}/entries', {
          params: { path: { waitlistId }, query: { environment, ...filter, cursor } },
          signal,
        }),
      );
    },
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
  const loaded = query.data?.pages.flatMap(({ entries }) => entries) ?? [];
  const length = loaded.length;
  const { isFetching, isFetchNextPageError, fetchNextPage } = query;
  // After a failure, only the person who looks asks again, even if what is loaded was refreshed since.
  const next = query.data?.pages.at(-1)?.nextCursor;
  const [failed, setFailed] = useState<{ at: string | null | undefined; error: unknown }>();
  if (isFetchNextPageError && failed?.error !== query.error) setFailed({ at: next, error: query.error });
  const restError = failed?.at === next ? failed?.error : undefined;
  const more = query.hasNextPage && restError === undefined && !isFetchNextPageError;
  const onShow = useCallback(
    (_first: number, end: number) => {
      if (end > length && more && !isFetching) void fetchNextPage();
    },
    [length, more, isFetching, fetchNextPage],
  );
  return {
    count: more ? length + AHEAD : length,
    rowAt: (index) => loaded[index],
    onShow,
    loaded,
    isLoading: query.isPending,
    error: query.isError && !query.data ? query.error : undefined,
    retry: () => void query.refetch(),
    total: query.data?.pages[0]?.total,
    restError,
    retryRest: () => {
      setFailed(undefined);
      void fetchNextPage();
    },
  };
}

/** Loads again what is on the screen, but not a list that somebody has scrolled far through. */
export function refreshShown(client: QueryClient, scope: Scope): void {
  void client.invalidateQueries({
    queryKey: peopleKey(scope),
    predicate: ({ state: { data } }) =>
      ((data as { pages?: unknown[] } | undefined)?.pages?.length ?? 0) <= REFRESHED_PAGES,
  });
}
