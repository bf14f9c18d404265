import { useQuery } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { ENTRY_STATUSES } from '../../api/choices.ts';
import { useMay } from '../../api/me.ts';
import { waitlistQuery } from '../../api/waitlists.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import type { QueueSearch, QueueTab } from './queue-search.ts';
import { isEmpty, readSegment } from './segment.ts';
import { useLivePeople } from './use-live-people.ts';
import { type PagedView, useNumberedRows, usePagedRows } from './use-rows.ts';
import { SEARCH_CHARACTERS_MAX, useSearchRows } from './use-search-rows.ts';
import { useSteadyCount } from './use-steady-count.ts';

export type QueueList = ReturnType<typeof useQueueList>;

/** The people that the address asks for: how many there are, and their rows as far as they are loaded. */
export function useQueueList(scope: Scope, search: QueueSearch) {
  const { tab = 'waiting', search: wanted, order } = search;
  const segment = readSegment({ ...search });
  const isFiltered = !isEmpty(segment);
  const status = tab === 'all' ? undefined : tab;

  const waitlist = useQuery(waitlistQuery(scope));
  const counts = useLivePeople(scope) ?? waitlist.data?.counts;
  const everyone = counts && ENTRY_STATUSES.reduce((sum, each) => sum + counts[each], 0);
  const totalOf = (each: QueueTab) => (each === 'all' ? everyone : counts?.[each]);

  // Everyone, and everyone in line, can be reached by number. The rest comes page by page.
  const isNumbered = !wanted && !isFiltered && (tab === 'waiting' || tab === 'all');
  const newestFirst = tab === 'all' && order !== 'oldest';
  const [atTop, setAtTop] = useState(true);
  const queue = `${scope.waitlistId} ${scope.environment}`;
  const steady = useSteadyCount(totalOf(tab) ?? 0, `${queue} ${tab}`, !newestFirst || atTop);
  const seesPeople = useMay('support');
  const isSearch = wanted !== undefined && seesPeople && wanted.length <= SEARCH_CHARACTERS_MAX;
  const searched = useSearchRows(scope, isSearch ? wanted : undefined);
  const paged: PagedView | undefined =
    isNumbered || isSearch ? undefined : wanted ? { search: wanted } : { status, segment };
  const numberedRows = useNumberedRows(
    scope,
    isNumbered && counts
      ? { sort: tab === 'waiting' ? 'position' : 'joined', newestFirst, count: steady.count }
      : undefined,
  );
  const pagedRows = usePagedRows(scope, paged);
  const rows = isNumbered ? numberedRows : isSearch ? searched.rows : pagedRows;
  const { onShow } = rows;
  const show = useCallback(
    (first: number, end: number, top: boolean) => {
      setAtTop(top);
      onShow(first, end);
    },
    [onShow],
  );

  return {
    tab,
    /** What a search looks for. It finds people of every status, whatever the filter says. */
    wanted,
    segment,
    isFiltered,
    /** Undefined where people of every status are listed. */
    status,
    /** How many people there are in all. Undefined until it is known. */
    everyone,
    totalOf,
    waiting: counts?.waiting ?? 0,
    metadataKeys: waitlist.data?.metadataKeys ?? [],
    isNumbered,
    /** Another one is another list, which begins at its top. */
    key: `${queue} ${tab} ${order ?? ''} ${JSON.stringify(isSearch ? wanted : paged)}`,
    rows,
    pagedRows,
    /** Of a search that looks through everybody's data. */
    searched: isSearch ? searched : undefined,
    show,
    /** Those who joined while somebody reads further down. */
    fresh: { count: steady.fresh, show: steady.release },
    isLoading: isNumbered ? counts === undefined : rows.isLoading,
    problem: {
      isError: Boolean(rows.error ?? (counts === undefined && waitlist.error)),
      error: rows.error ?? waitlist.error,
      data: undefined,
      refetch: () => (rows.error ? rows.retry() : waitlist.refetch()),
    },
  };
}
