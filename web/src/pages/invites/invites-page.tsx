import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Send } from 'lucide-react';
import { useEffect } from 'react';
import { INVITE_STATES } from '../../api/choices.ts';
import { useLive } from '../../api/live.tsx';
import { useMay } from '../../api/me.ts';
import { useFind } from '../../shell/use-find.ts';
import { type Scope, useScope } from '../../shell/waitlist-scope.ts';
import { Button } from '../../ui/button.tsx';
import { capitalize } from '../../ui/capitalize.ts';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { SearchBox } from '../../ui/search-box.tsx';
import { SkeletonRows } from '../../ui/skeleton.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { EntryDrawer } from '../entry/entry-drawer.tsx';
import { readSegment } from '../queue/segment.ts';
import { useLivePeople } from '../queue/use-live-people.ts';
import { refreshShown } from '../queue/use-rows.ts';
import { InviteDialog } from './invite-dialog.tsx';
import { InviteJobs, JOB_KINDS } from './invite-jobs.tsx';
import { InviteList, invitesQuery } from './invite-list.tsx';
import type { InvitesSearch } from './invites-search.ts';
import { RevokeAll } from './revoke-all.tsx';

const NOTHING_FILLED_IN: InvitesSearch = {
  invite: undefined,
  first: undefined,
  where: undefined,
  minReferrals: undefined,
  joinedAfter: undefined,
  joinedBefore: undefined,
  referrer: undefined,
};

/** How many invites jobs have made and revoked. The list is loaded again whenever there are more. */
function useInvitedByJobs(scope: Scope): number {
  const client = useQueryClient();
  const { jobs = {} } = useLive(scope.waitlistId, scope.environment);
  const invited = Object.values(jobs)
    .filter(({ kind, environment }) => JOB_KINDS.includes(kind) && environment === scope.environment)
    .reduce((sum, { done }) => sum + (done ?? 0), 0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another scope has its own number.
  useEffect(() => {
    if (invited > 0) refreshShown(client, scope);
  }, [invited]);
  return invited;
}

/** Who was invited, and inviting more. */
export function InvitesPage() {
  const scope = useScope();
  const search = useSearch({ from: '/shell/waitlists/$waitlistId/invites' });
  const navigate = useNavigate({ from: '/waitlists/$waitlistId/invites' });
  const set = (change: Partial<InvitesSearch>, replace = false) =>
    void navigate({ search: (now) => ({ ...now, ...change }), state: true, replace, resetScroll: false });
  const mayInvite = useMay('support');
  const find = useFind() ?? '';
  const setFind = (text: string) =>
    void navigate({ search: true, state: { find: text || undefined }, resetScroll: false });
  useLivePeople(scope);
  const invited = useInvitedByJobs(scope);
  const { state } = search;
  const { data: listed } = useInfiniteQuery({
    ...invitesQuery(scope, { state: undefined, entry: undefined }),
    enabled: state === undefined,
  });
  const isEmpty = state === undefined && listed?.pages[0]?.invites.length === 0;
  const invite = mayInvite && (
    <Button look="primary" icon={<Send aria-hidden />} onClick={() => set({ invite: 'first' })}>
      Invite people
    </Button>
  );
  const order = <p className="text-sm text-mute">Newest first</p>;
  return (
    <>
      <PageHeader
        title="Invites"
        about="Each invite is a link for one person that works once."
        actions={!isEmpty && invite}
      />
      <InviteJobs scope={scope} />
      <div className="flex flex-col gap-4">
        <Tabs
          label="State"
          value={state ?? 'all'}
          onChange={(next) => set({ state: next === 'all' ? undefined : next })}
          tabs={[
            { value: 'all', label: 'All' },
            ...INVITE_STATES.map((value) => ({
              value,
              label: capitalize(value),
            })),
          ]}
        />
        {!isEmpty && (
          <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
            <SearchBox
              text={find}
              onSearch={setFind}
              label={mayInvite ? 'Find invites by exact email, code or id' : 'Find an invite by id'}
              placeholder={mayInvite ? 'Exact email, code or id' : 'Invite id: inv_…'}
            />
            {mayInvite && state === 'open' ? (
              <div className="flex items-center justify-between gap-4 max-sm:w-full">
                <RevokeAll scope={scope} />
                {order}
              </div>
            ) : (
              order
            )}
          </div>
        )}
        <Card flush>
          <InviteList
            key={`${state ?? 'all'} ${find}`}
            scope={scope}
            state={state}
            search={find || undefined}
            onOpen={(entry) => set({ entry })}
            empty={
              find ? (
                <NoSuchInvite state={state} onClear={() => setFind('')} />
              ) : state !== undefined ? (
                <EmptyState icon={<Send aria-hidden />} title={`No ${state} invites`}>
                  Choose another state to see the others.
                </EmptyState>
              ) : invited > 0 ? (
                <SkeletonRows />
              ) : (
                <EmptyState icon={<Send aria-hidden />} title="No invites yet" action={invite}>
                  Invite the first in line, a segment, or one email. You see who it is before anything is
                  sent.
                </EmptyState>
              )
            }
          />
        </Card>
      </div>
      {mayInvite && search.invite && (
        <InviteDialog
          scope={scope}
          way={search.invite}
          onWay={(way) => set({ invite: way }, true)}
          given={{ first: search.first, segment: readSegment({ ...search }) }}
          onClose={() => set(NOTHING_FILLED_IN, true)}
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

function NoSuchInvite({ state, onClear }: { state: InvitesSearch['state']; onClear: () => void }) {
  const seesPeople = useMay('support');
  return (
    <EmptyState
      icon={<Send aria-hidden />}
      title="No such invite"
      action={<Button onClick={onClear}>Clear the search</Button>}
    >
      {seesPeople
        ? 'The search finds a whole email, a whole code or an id: data is encrypted.'
        : 'The search finds an invite by its whole id.'}
      {state !== undefined && ` Only ${state} invites were searched.`}
    </EmptyState>
  );
}
