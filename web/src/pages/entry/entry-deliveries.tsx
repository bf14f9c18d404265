import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Webhook } from 'lucide-react';
import { api, call } from '../../api/client.ts';
import { peopleKey } from '../../api/entries.ts';
import { environmentSearch } from '../../shell/waitlist-scope.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { LoadMore } from '../../ui/load-more.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { Table } from '../../ui/table.tsx';
import { DeliveryStateBadge } from '../webhooks/endpoint-health.tsx';
import { endpointsQuery } from '../webhooks/webhooks.ts';
import type { AboutEntry } from './about-entry.ts';
import { InDrawer } from './in-drawer.tsx';

/** What webhooks were told about this person. */
export default function EntryDeliveries({ scope, entry }: AboutEntry) {
  const query = useInfiniteQuery({
    queryKey: [...peopleKey(scope), 'deliveries', entry.id],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor }) =>
      call(
        api.GET('/admin/v1/waitlists/{waitlistId}/deliveries', {
          params: {
            path: { waitlistId: scope.waitlistId },
            query: { environment: scope.environment, entry: entry.id, cursor },
          },
        }),
      ),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
  const { data: endpoints } = useQuery(endpointsQuery(scope));
  const urlOf = (id: string) => endpoints?.find((each) => each.id === id)?.url ?? id;
  return (
    <InDrawer>
      <QueryProblem query={query}>
        <Table
          label="Webhook deliveries"
          rows={query.data?.pages.flatMap(({ deliveries }) => deliveries)}
          rowId={({ endpoint, event }) => `${endpoint} ${event}`}
          columns={[
            {
              id: 'kind',
              label: 'Event',
              className: 'max-w-34 sm:max-w-56',
              cell: ({ kind, endpoint, event }) => (
                <span className="flex flex-col">
                  <Link
                    to="/waitlists/$waitlistId/webhooks/$endpointId"
                    params={{ waitlistId: scope.waitlistId, endpointId: endpoint }}
                    search={{ ...environmentSearch(scope.environment), delivery: event }}
                    className="self-start truncate rounded-sm font-mono text-sm underline-offset-4 hover:underline"
                  >
                    {kind}
                  </Link>
                  <span className="truncate text-sm text-mute" title={urlOf(endpoint)}>
                    {urlOf(endpoint)}
                  </span>
                </span>
              ),
            },
            {
              id: 'state',
              label: 'State',
              cell: ({ state }) => <DeliveryStateBadge state={state} />,
            },
            {
              id: 'at',
              label: 'When',
              right: true,
              cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
            },
          ]}
          empty={
            <EmptyState icon={<Webhook aria-hidden />} title="No deliveries">
              Events about this person appear here once a webhook endpoint asks for them.
            </EmptyState>
          }
        />
        <LoadMore query={query} />
      </QueryProblem>
    </InDrawer>
  );
}
