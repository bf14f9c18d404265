import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api, call } from '../../api/client.ts';
import type { Entry } from '../../api/entries.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import type { Segment } from '../queue/segment.ts';
import { conditionsOf } from '../queue/segment-words.ts';

const PAGE = 50;
/** So many before the last one that is loaded, the next page is. */
const AHEAD = 10;

export type Outcome = 'approved' | 'declined' | 'later';

/**
 * Those who wait, one after the other, as they stood when the review began: whoever is decided about meanwhile moves
 * nobody else, and those who sign up meanwhile come in the next round.
 */
export function useReview({ waitlistId, environment }: Scope, segment: Segment) {
  const [round, setRound] = useState(0);
  const [at, setAt] = useState(0);
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, Outcome>>(new Map());
  const query = useInfiniteQuery({
    queryKey: ['review', waitlistId, environment, segment, round],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor, signal }) =>
      call(
        api.GET('/admin/v1/waitlists/{waitlistId}/entries', {
          params: {
            path: { waitlistId },
            query: { environment, status: 'waiting', ...conditionsOf(segment), limit: PAGE, cursor },
          },
          signal,
        }),
      ),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const people: Entry[] = query.data?.pages.flatMap(({ entries }) => entries) ?? [];
  const { hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = query;
  const wantsMore = hasNextPage && !isFetching && !isFetchNextPageError && at + AHEAD >= people.length;
  useEffect(() => {
    if (wantsMore) void fetchNextPage();
  }, [wantsMore, fetchNextPage]);
  return {
    query,
    at,
    /** Undefined if there are more than the API counts. */
    total: query.data?.pages[0]?.total ?? undefined,
    current: people[at],
    isOver: query.isSuccess && !hasNextPage && at >= people.length,
    count: (outcome: Outcome) => [...outcomes.values()].filter((each) => each === outcome).length,
    goTo: (next: number) => setAt(Math.max(0, Math.min(next, people.length))),
    note: ({ id }: Entry, outcome: Outcome) => setOutcomes((now) => new Map(now).set(id, outcome)),
    forget: ({ id }: Entry) => setOutcomes((now) => new Map([...now].filter(([each]) => each !== id))),
    startAgain: () => {
      setRound(round + 1);
      setAt(0);
      setOutcomes(new Map());
    },
  };
}

export type Review = ReturnType<typeof useReview>;
