import { useInfiniteQuery } from '@tanstack/react-query';
import { Share2 } from 'lucide-react';
import { api, call } from '../../api/client.ts';
import { peopleKey } from '../../api/entries.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { LoadMore } from '../../ui/load-more.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { Table } from '../../ui/table.tsx';
import { Person } from '../queue/entry-columns.tsx';
import type { AboutEntry } from './about-entry.ts';
import { InDrawer } from './in-drawer.tsx';

/** Who named this person as their referrer. */
export function EntryReferrals({ scope, entry, onOpen }: AboutEntry & { onOpen: (entryId: string) => void }) {
  const query = useInfiniteQuery({
    queryKey: [...peopleKey(scope), 'referrals', entry.id],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor }) =>
      call(
        api.GET('/admin/v1/waitlists/{waitlistId}/entries/{entryId}/referrals', {
          params: {
            path: { waitlistId: scope.waitlistId, entryId: entry.id },
            query: { environment: scope.environment, cursor },
          },
        }),
      ),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
  return (
    <InDrawer>
      <QueryProblem query={query}>
        <Table
          label="Referrals"
          rows={query.data?.pages.flatMap(({ entries }) => entries)}
          rowId={({ id }) => id}
          onOpen={({ id }) => onOpen(id)}
          columns={[
            {
              id: 'person',
              label: 'Person',
              className: 'max-w-48',
              cell: (each) => <Person entry={each} />,
            },
            { id: 'status', label: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
            {
              id: 'at',
              label: 'Signed up',
              right: true,
              cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
            },
          ]}
          empty={
            <EmptyState icon={<Share2 aria-hidden />} title="No referrals yet">
              People who sign up with this person’s referral code appear here.
            </EmptyState>
          }
        />
        <LoadMore query={query} />
      </QueryProblem>
    </InDrawer>
  );
}
