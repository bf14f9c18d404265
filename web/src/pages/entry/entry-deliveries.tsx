import { useInfiniteQuery } from '@tanstack/react-query';
import { Webhook } from 'lucide-react';
import { api, call } from '../../api/client.ts';
import { peopleKey } from '../../api/entries.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { capitalize } from '../../ui/capitalize.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { LoadMore } from '../../ui/load-more.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { Table } from '../../ui/table.tsx';
import type { AboutEntry } from './about-entry.ts';
import { InDrawer } from './in-drawer.tsx';

const TONES: Record<string, Tone> = {
  delivered: 'accent',
  failed: 'danger',
  pending: 'warn',
  held: 'neutral',
};

/** What webhooks were told about this person. */
export function EntryDeliveries({ scope, entry }: AboutEntry) {
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
              className: 'max-w-56',
              cell: ({ kind, endpoint }) => (
                <span className="flex flex-col">
                  <code className="truncate font-mono text-sm">{kind}</code>
                  <span className="truncate font-mono text-xs text-mute" title={endpoint}>
                    {endpoint}
                  </span>
                </span>
              ),
            },
            {
              id: 'state',
              label: 'State',
              cell: ({ state }) => <Badge tone={TONES[state] ?? 'neutral'}>{capitalize(state)}</Badge>,
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
