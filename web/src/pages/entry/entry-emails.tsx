import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { Mail } from 'lucide-react';
import { api, call } from '../../api/client.ts';
import { peopleKey } from '../../api/entries.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { capitalize } from '../../ui/capitalize.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { LoadMore } from '../../ui/load-more.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { Table } from '../../ui/table.tsx';
import { toast, toastError } from '../../ui/toast.tsx';
import type { AboutEntry } from './about-entry.ts';
import { InDrawer } from './in-drawer.tsx';

const TONES: Record<string, Tone> = { sent: 'accent', failed: 'danger', pending: 'warn', kept: 'neutral' };

/** Emails to this person. */
export function EntryEmails({ scope, entry }: AboutEntry) {
  const client = useQueryClient();
  const path = { waitlistId: scope.waitlistId };
  const queryKey = [...peopleKey(scope), 'emails', entry.id];
  const query = useInfiniteQuery({
    queryKey,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor }) =>
      call(
        api.GET('/admin/v1/waitlists/{waitlistId}/mails', {
          params: { path, query: { environment: scope.environment, entry: entry.id, cursor } },
        }),
      ),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
  const resend = async (mailId: string) => {
    try {
      await call(
        api.POST('/admin/v1/waitlists/{waitlistId}/mails/{mailId}/resend', {
          params: { path: { ...path, mailId }, query: { environment: scope.environment } },
        }),
      );
      await client.invalidateQueries({ queryKey });
      toast('The email is on its way again');
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <InDrawer>
      <QueryProblem query={query}>
        <Table
          label="Emails"
          rows={query.data?.pages.flatMap(({ mails }) => mails)}
          rowId={({ id }) => id}
          columns={[
            {
              id: 'kind',
              label: 'Email',
              className: 'max-w-44',
              cell: ({ kind, error }) => (
                <span className="flex flex-col">
                  <span className="truncate font-medium">{capitalize(kind)}</span>
                  {error && (
                    <span className="truncate text-sm text-danger" title={error}>
                      {error}
                    </span>
                  )}
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
            {
              id: 'actions',
              label: <span className="sr-only">Actions</span>,
              right: true,
              cell: ({ id, kind, state }) =>
                state !== 'pending' && (
                  <Button
                    size="sm"
                    look="quiet"
                    aria-label={`Resend ${kind}`}
                    onClick={() => void resend(id)}
                  >
                    Resend
                  </Button>
                ),
            },
          ]}
          empty={
            <EmptyState icon={<Mail aria-hidden />} title="No emails">
              Emails to this person appear here, sent or not.
            </EmptyState>
          }
        />
        <LoadMore query={query} />
      </QueryProblem>
    </InDrawer>
  );
}
