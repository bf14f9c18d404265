import { Link } from '@tanstack/react-router';
import { ListChecks, Send, UserPlus } from 'lucide-react';
import { useState } from 'react';
import { useMay } from '../../api/me.ts';
import { environmentSearch, type Scope, useScope } from '../../shell/waitlist-scope.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { capitalize } from '../../ui/capitalize.ts';
import { PageHeader } from '../../ui/page-header.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { EntryDrawer } from '../entry/entry-drawer.tsx';
import { AddPerson } from './add-person.tsx';
import { ConfirmPending } from './confirm-pending.tsx';
import { CsvButton } from './csv-button.tsx';
import { DecideAll } from './decide-all.tsx';
import { DecideJobs } from './decide-jobs.tsx';
import { ErasuresToDecide } from './erasures-to-decide.tsx';
import { FilterDialog } from './filter-dialog.tsx';
import { QueueCard } from './queue-card.tsx';
import { QUEUE_TABS } from './queue-search.ts';
import { Conditions, QueueToolbar } from './queue-toolbar.tsx';
import { SavedSegmentsMenu } from './saved-segments-menu.tsx';
import { SearchProgress } from './search-progress.tsx';
import type { Segment } from './segment.ts';
import { useMetadataColumns } from './use-metadata-columns.ts';
import { type QueueList, useQueueList } from './use-queue-list.ts';
import { useQueueSearch } from './use-queue-search.ts';

/** Everyone on the waitlist. */
export function QueuePage() {
  const scope = useScope();
  const { search, set } = useQueueSearch();
  const list = useQueueList(scope, search);
  const metadata = useMetadataColumns(scope.waitlistId, search.column, list);
  const [filtering, setFiltering] = useState(false);
  const mayInvite = useMay('support');
  const { tab, segment, status } = list;
  return (
    <>
      <PageHeader
        title="Queue"
        about="Everyone who signed up. Signup time and referrals decide who is next."
        actions={<QueueActions scope={scope} list={list} onAdd={() => set({ add: 'person' })} />}
      />
      <div className="flex flex-col gap-4">
        <DecideJobs scope={scope} />
        <ErasuresToDecide scope={scope} onOpen={(entry) => set({ entry, about: undefined })} />
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
            count: list.totalOf(value),
          }))}
        />
        <QueueToolbar
          search={search}
          hasOrder={list.isNumbered && tab === 'all'}
          keys={metadata.keys}
          columns={metadata.columns}
          onColumns={(next) => {
            metadata.choose(next);
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
        {list.searched && <SearchProgress search={list.searched} />}
        {list.isFiltered && !list.wanted && (
          <FilteredBy scope={scope} list={list} onChange={(next) => set({ ...next })} />
        )}
        {tab === 'pending' && !list.wanted && !list.isFiltered && list.rows.count > 0 && (
          <div className="flex flex-wrap items-center justify-between gap-2">
            <p className="text-sm text-mute">They have not confirmed their email address yet.</p>
            <ConfirmPending scope={scope} />
          </div>
        )}
        <QueueCard
          scope={scope}
          list={list}
          metadataColumns={metadata.columns}
          at={search.at}
          onChange={set}
          onFilter={() => setFiltering(true)}
        />
      </div>
      {filtering && (
        <FilterDialog
          segment={segment}
          keys={metadata.keys}
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

function QueueActions({ scope, list, onAdd }: { scope: Scope; list: QueueList; onAdd: () => void }) {
  const mayInvite = useMay('support');
  const isEmpty = list.everyone === 0;
  return (
    <>
      {!isEmpty && mayInvite && <ToReview scope={scope} segment={list.segment} />}
      {!isEmpty && !list.wanted && <CsvButton scope={scope} status={list.status} segment={list.segment} />}
      {mayInvite && (
        <Button icon={<UserPlus aria-hidden />} onClick={onAdd}>
          Add person
        </Button>
      )}
      {!isEmpty && mayInvite && (
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
  );
}

/** Those who wait, one after the other: those who match the filter, if there is one. */
function ToReview({ scope: { waitlistId, environment }, segment }: { scope: Scope; segment: Segment }) {
  return (
    <Link
      to="/waitlists/$waitlistId/queue/review"
      params={{ waitlistId }}
      search={{ ...environmentSearch(environment), ...segment }}
      className={buttonClass()}
    >
      <ListChecks aria-hidden />
      Review
    </Link>
  );
}

interface FilteredByProps {
  scope: Scope;
  list: QueueList;
  onChange: (segment: Segment) => void;
}

/** The filter in words, and what can be done with those who match it. */
function FilteredBy({ scope, list: { segment, tab, rows }, onChange }: FilteredByProps) {
  const mayInvite = useMay('support');
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Conditions scope={scope} segment={segment} onChange={onChange} />
      <span className="flex-1" />
      {mayInvite && tab !== 'all' && rows.count > 0 && (
        <DecideAll scope={scope} segment={segment} status={tab} />
      )}
      {mayInvite && tab === 'waiting' && rows.count > 0 && (
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
  );
}
