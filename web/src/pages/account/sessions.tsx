import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, call, type Schemas } from '../../api/client.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { toast } from '../../ui/toast.tsx';
import { browserName } from './browser-name.ts';

type Session = Schemas['Session'];

const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: async () => (await call(api.GET('/admin/v1/me/sessions'))).sessions,
});

export function Sessions() {
  const client = useQueryClient();
  const query = useQuery(sessionsQuery);
  const [ending, setEnding] = useState<Session | 'others' | null>(null);
  const refresh = () => client.invalidateQueries({ queryKey: sessionsQuery.queryKey });
  const columns: Column<Session>[] = [
    {
      id: 'browser',
      label: 'Browser',
      className: 'max-w-72',
      cell: ({ userAgent, current }) => (
        <span className="flex flex-wrap items-center gap-2">
          <span className="font-medium">{browserName(userAgent)}</span>
          {current && <Badge tone="accent">This one</Badge>}
        </span>
      ),
    },
    { id: 'address', label: 'Address', wide: true, cell: ({ address }) => address },
    { id: 'seen', label: 'Last active', cell: ({ lastSeenAt }) => <RelativeTime at={lastSeenAt} /> },
    {
      id: 'created',
      label: 'Signed in',
      wide: true,
      cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
    },
    {
      id: 'actions',
      label: <span className="sr-only">Actions</span>,
      right: true,
      cell: (session) =>
        !session.current && (
          <Button
            size="sm"
            look="quiet"
            aria-label={`Sign out ${browserName(session.userAgent)} at ${session.address}`}
            onClick={() => setEnding(session)}
          >
            Sign out
          </Button>
        ),
    },
  ];
  const others = query.data?.some(({ current }) => !current);
  return (
    <Card
      flush
      title="Sessions"
      about="Browsers that are signed in to your account."
      actions={
        <Button size="sm" disabled={!others} onClick={() => setEnding('others')}>
          Sign out everywhere else
        </Button>
      }
    >
      <QueryProblem query={query}>
        <Table label="Sessions" columns={columns} rows={query.data} rowId={({ id }) => id} />
      </QueryProblem>
      {ending !== null && (
        <ConfirmDialog
          open
          onClose={() => setEnding(null)}
          title={
            ending === 'others' ? 'Sign out everywhere else?' : `Sign out ${browserName(ending.userAgent)}?`
          }
          about="Whoever uses it has to sign in again."
          action="Sign out"
          onConfirm={async () => {
            if (ending === 'others') await call(api.DELETE('/admin/v1/me/sessions'));
            else
              await call(
                api.DELETE('/admin/v1/me/sessions/{sessionId}', {
                  params: { path: { sessionId: ending.id } },
                }),
              );
            await refresh();
            toast('Signed out');
          }}
        />
      )}
    </Card>
  );
}
