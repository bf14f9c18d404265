import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ArrowUp, Send, UserPlus } from 'lucide-react';
import { type CSSProperties, useCallback, useState } from 'react';
import { ApiError } from '../../api/client.ts';
import { people } from '../../api/entries.ts';
import { useMay } from '../../api/me.ts';
import { waitlistQuery } from '../../api/waitlists.ts';
import { environmentSearch, useScope } from '../../shell/waitlist-scope.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { capitalize } from '../../ui/capitalize.ts';
import { Card } from '../../ui/card.tsx';
import { GiantTable } from '../../ui/giant-table.tsx';
import { GiantTableLoading } from '../../ui/giant-table-loading.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { EntryDrawer } from '../entry/entry-drawer.tsx';
import { AddPerson } from './add-person.tsx';
import { ConfirmPending } from './confirm-pending.tsx';
import { CsvButton } from './csv-button.tsx';
import { entryColumns, leastWidth } from './entry-columns.tsx';
import { FilterDialog } from './filter-dialog.tsx';
import { JumpTo } from './jump-to.tsx';
import { FirstSignup, NobodyHere, NotFound } from './queue-empty.tsx';
import { QUEUE_TABS } from './queue-search.ts';
import { Conditions, QueueToolbar } from './queue-toolbar.tsx';
import { SavedSegmentsMenu } from './saved-segments-menu.tsx';
import { isEmpty, NO_SEGMENT, readSegment } from './segment.ts';
import { useColumns } from './use-columns.ts';
import { useLivePeople } from './use-live-people.ts';
import { useQueueSearch } from './use-queue-search.ts';
import { type PagedView, useNumberedRows, usePagedRows } from './use-rows.ts';
import { useSteadyCount } from './use-steady-count.ts';

/** Everyone on the waitlist. */
export function QueuePage() {
  const scope = useScope();
  const { search, set } = useQueueSearch();
  const [filtering, setFiltering] = useState(false);
  const [jumps, setJumps] = useState(0);
  const jump = (at: string) => {
    set({ at }, true);
    setJumps(jumps + 1);
  };
  const seesMetadata = useMay('support');
  const mayInvite = useMay('support');

  const waitlist = useQuery(waitlistQuery(scope));
  const counts = useLivePeople(scope) ?? waitlist.data?.counts;
  const { tab = 'waiting' } = search;
  const segment = readSegment({ ...search });
  const filtered = !isEmpty(segment);
  const status = tab === 'all' ? undefined : tab;
  const everyone =
    counts && counts.pending + counts.waiting + counts.invited + counts.joined + counts.removed;
  const totalOf = (each: typeof tab) => (each === 'all' ? everyone : counts?.[each]);

  // Everyone, and everyone in line, can be reached by number. The rest comes page by page.
  const isNumbered = !search.search && !filtered && (tab === 'waiting' || tab === 'all');
  const newestFirst = tab === 'all' && search.order !== 'oldest';
  const [atTop, setAtTop] = useState(true);
  const queue = `${scope.waitlistId} ${scope.environment}`;
  const steady = useSteadyCount(totalOf(tab) ?? 0, `${queue} ${tab}`, !newestFirst || atTop);
  const paged: PagedView | undefined = search.search
    ? { search: search.search }
    : isNumbered
      ? undefined
      : { status, segment };
  const numberedRows = useNumberedRows(
    scope,
    isNumbered && counts
      ? { sort: tab === 'waiting' ? 'position' : 'joined', newestFirst, count: steady.count }
      : undefined,
  );
  const pagedRows = usePagedRows(scope, paged);
  const rows = isNumbered ? numberedRows : pagedRows;
  const { onShow } = rows;
  const show = useCallback(
    (first: number, end: number, top: boolean) => {
      setAtTop(top);
      onShow(first, end);
    },
    [onShow],
  );

  const seen = rows.loaded.flatMap(({ metadata }) => Object.keys(metadata ?? {}));
  const kept = useColumns(scope.waitlistId);
  const keys = [...new Set([...(waitlist.data?.metadataKeys ?? []), ...kept.columns, ...seen])]
    .sort()
    .slice(0, 200);
  const goTo = search.at === undefined ? undefined : Math.min(Number(search.at), rows.count) - 1;
  const isLoading = isNumbered ? counts === undefined : rows.isLoading;
  const problem = {
    isError: Boolean(rows.error ?? (counts === undefined && waitlist.error)),
    error: rows.error ?? waitlist.error,
    data: undefined,
    refetch: () => (rows.error ? rows.retry() : waitlist.refetch()),
  };

  const shownKeys = seesMetadata ? (search.column ?? kept.columns) : [];
  const columns = entryColumns({
    keys: shownKeys,
    count: counts?.waiting ?? 0,
    status: search.search ? undefined : status,
  });
  const table = () => {
    if (isLoading) return <GiantTableLoading columns={columns} />;
    if (everyone === 0 && !search.search) return <FirstSignup scope={scope} />;
    if (rows.count === 0)
      return search.search ? (
        <NotFound
          text={search.search}
          onFilter={() => {
            set({ search: undefined });
            setFiltering(true);
          }}
          onClear={() => set({ search: undefined })}
        />
      ) : (
        <NobodyHere tab={tab} onClear={filtered ? () => set(NO_SEGMENT) : undefined} />
      );
    return (
      <GiantTable
        key={`${queue} ${tab} ${search.order ?? ''} ${JSON.stringify(paged)}`}
        label="Queue"
        columns={columns}
        count={rows.count}
        rowAt={rows.rowAt}
        onShow={show}
        onOpen={({ id }) => set({ entry: id, about: undefined })}
        goTo={goTo}
        jumps={jumps}
        least={leastWidth(shownKeys)}
        className="h-[min(calc(var(--rows)*2.75rem+2.3125rem),max(20rem,calc(100dvh-20.5rem-var(--band))))]"
      />
    );
  };

  return (
    <>
      <PageHeader
        title="Queue"
        about="Everyone who signed up. Signup time and referrals decide who is next."
        actions={
          <>
            {everyone !== 0 && !search.search && (
              <CsvButton scope={scope} status={status} segment={segment} />
            )}
            {mayInvite && (
              <Button icon={<UserPlus aria-hidden />} onClick={() => set({ add: 'person' })}>
                Add person
              </Button>
            )}
            {everyone !== 0 && mayInvite && (
              <Link
                to="/waitlists/$waitlistId/invites"
                params={{ waitlistId: scope.waitlistId }}
                search={{ ...environmentSearch(scope.environment), invite: 'first' }}
                className={buttonClass('primary')}
              >
                <Send aria-hidden />
                Invite people
              </Link>
            )}
          </>
        }
      />
      <div className="flex flex-col gap-4">
        <Tabs
          label="Status"
          value={tab}
          onChange={(next) =>
            set({
              tab: next === 'waiting' ? undefined : next,
              search: undefined,
              order: undefined,
              at: undefined,
            })
          }
          tabs={QUEUE_TABS.map((value) => ({
            value,
            label: capitalize(value),
            count: totalOf(value),
          }))}
        />
        <QueueToolbar
          search={search}
          hasOrder={isNumbered && tab === 'all'}
          keys={seesMetadata ? keys : []}
          columns={shownKeys}
          onColumns={(next) => {
            kept.choose(next);
            if (search.column) set({ column: undefined }, true);
          }}
          segments={
            <SavedSegmentsMenu
              scope={scope}
              segment={segment}
              status={status}
              onChange={(change) => set(change)}
            />
          }
          onChange={(change) => set(change)}
          onFilter={() => setFiltering(true)}
        />
        {filtered && !search.search && (
          <div className="flex flex-wrap items-center gap-2">
            <Conditions scope={scope} segment={segment} onChange={(next) => set({ ...next })} />
            <span className="flex-1" />
            {mayInvite && tab === 'waiting' && pagedRows.count > 0 && (
              <Link
                to="/waitlists/$waitlistId/invites"
                params={{ waitlistId: scope.waitlistId }}
                search={{ ...environmentSearch(scope.environment), ...segment, invite: 'segment' }}
                className={buttonClass('secondary', 'sm')}
              >
                <Send aria-hidden />
                Invite all that match
              </Link>
            )}
          </div>
        )}
        {tab === 'pending' && !search.search && !filtered && pagedRows.count > 0 && (
          <div className="flex flex-wrap items-center justify-between gap-2">
            <p className="text-sm text-mute">They have not confirmed their email address yet.</p>
            <ConfirmPending scope={scope} />
          </div>
        )}
        <Card flush className="overflow-hidden">
          <div className="relative" style={{ '--rows': rows.count } as CSSProperties}>
            <QueryProblem query={problem}>{table()}</QueryProblem>
            {steady.fresh > 0 && (
              <div className="pointer-events-none absolute inset-x-0 top-12 z-20 flex justify-center">
                <Button
                  look="primary"
                  size="sm"
                  icon={<ArrowUp aria-hidden />}
                  className="pointer-events-auto rounded-full! shadow-lg"
                  onClick={() => {
                    steady.release();
                    jump('1');
                  }}
                >
                  {steady.fresh.toLocaleString('en')} new
                </Button>
              </div>
            )}
          </div>
          {!isLoading && !problem.isError && rows.count > 0 && (
            <div className="flex min-h-12 flex-wrap items-center justify-between gap-3 border-t px-5 py-1.5 text-sm text-mute max-md:px-4">
              <span role="status">
                {isNumbered ? people(rows.count) : matching(pagedRows.total, pagedRows.loaded.length)}
              </span>
              {!isNumbered && pagedRows.restError !== undefined && (
                <span role="alert" className="flex flex-wrap items-center gap-x-3 gap-y-1 text-danger">
                  The rest could not be loaded. {ApiError.from(pagedRows.restError).sentence}
                  <Button size="sm" onClick={pagedRows.retryRest}>
                    Try again
                  </Button>
                </span>
              )}
              {isNumbered && (
                <JumpTo
                  count={rows.count}
                  label={tab === 'waiting' ? 'Go to position' : 'Go to row'}
                  onJump={jump}
                />
              )}
            </div>
          )}
        </Card>
      </div>
      {filtering && (
        <FilterDialog
          segment={segment}
          keys={keys}
          onClose={() => setFiltering(false)}
          onApply={(next) => set({ ...next, search: undefined, at: undefined })}
        />
      )}
      {search.add && mayInvite && (
        <AddPerson
          scope={scope}
          onClose={() => set({ add: undefined }, true)}
          onAdded={(entry) => set({ add: undefined, entry, about: undefined }, true)}
        />
      )}
      <EntryDrawer
        scope={scope}
        entryId={search.entry}
        tab={search.about ?? 'details'}
        onTab={(about) => set({ about: about === 'details' ? undefined : about }, true)}
        onOpen={(entry) => set({ entry, about: undefined })}
        onClose={() => set({ entry: undefined, about: undefined })}
      />
    </>
  );
}

function matching(total: number | null | undefined, loaded: number): string {
  return total === null ? 'More than 10,000 people match' : people(total ?? loaded);
}
