import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import { api, call, type Schemas } from '../../api/client.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { toast } from '../../ui/toast.tsx';
import { operatorsQuery } from '../team/operators-query.ts';
import { CreateTokenDialog } from './create-token-dialog.tsx';

type Token = Schemas['AdminToken'];

const tokensQuery = queryOptions({
  queryKey: ['tokens'],
  queryFn: async () => (await call(api.GET('/admin/v1/tokens'))).tokens,
});

/** Access to the admin API for scripts. */
export function TokensPage() {
  const client = useQueryClient();
  const query = useQuery(tokensQuery);
  const { data: operators = [] } = useQuery(operatorsQuery);
  const makerName = (createdBy: string | null): string => {
    if (createdBy === null) return 'Not known';
    if (createdBy === 'command-line') return 'Command line';
    const [kind, id] = createdBy.split(':');
    const operator = operators.find((each) => each.id === id);
    const token = query.data?.find((each) => each.id === id);
    return operator?.email ?? (token && `Token ${token.name}`) ?? `Removed ${kind}`;
  };
  const [creating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<Token | null>(null);
  const refresh = () => client.invalidateQueries({ queryKey: tokensQuery.queryKey });
  const create = (
    <Button look="primary" icon={<Plus aria-hidden />} onClick={() => setCreating(true)}>
      Create token
    </Button>
  );
  const columns: Column<Token>[] = [
    {
      id: 'name',
      label: 'Name',
      className: 'max-w-56',
      cell: ({ name, hint }) => (
        <span className="flex min-w-0 flex-col">
          <span className="truncate font-medium" title={name}>
            {name}
          </span>
          <span className="font-mono text-sm text-mute">dla_…{hint}</span>
        </span>
      ),
    },
    { id: 'role', label: 'Role', cell: ({ role }) => <span className="capitalize">{role}</span> },
    { id: 'state', label: 'Status', cell: (token) => <TokenState token={token} /> },
    {
      id: 'maker',
      label: 'Created by',
      wide: true,
      className: 'max-w-48',
      cell: ({ createdBy }) => (
        <span className="block truncate" title={makerName(createdBy)}>
          {makerName(createdBy)}
        </span>
      ),
    },
    {
      id: 'used',
      label: 'Last used',
      wide: true,
      cell: ({ lastUsedAt }) => (lastUsedAt ? <RelativeTime at={lastUsedAt} /> : 'Never'),
    },
    {
      id: 'expires',
      label: 'Expires',
      wide: true,
      cell: ({ expiresAt }) => (expiresAt ? <RelativeTime at={expiresAt} /> : 'Never'),
    },
    {
      id: 'actions',
      label: <span className="sr-only">Actions</span>,
      right: true,
      cell: (token) =>
        token.revokedAt === null && (
          <Button
            size="sm"
            look="quiet"
            aria-label={`Revoke ${token.name}`}
            onClick={() => setRevoking(token)}
          >
            Revoke
          </Button>
        ),
    },
  ];
  return (
    <>
      <PageHeader title="Tokens" about="Access to the admin API for scripts and tools." actions={create} />
      <Card flush>
        <QueryProblem query={query}>
          <Table
            label="Tokens"
            columns={columns}
            rows={query.data}
            rowId={({ id }) => id}
            empty={
              <EmptyState icon={<KeyRound aria-hidden />} title="No tokens yet" action={create}>
                Create one to manage this installation from a script, or from Terraform or CI.
              </EmptyState>
            }
          />
        </QueryProblem>
      </Card>
      {creating && <CreateTokenDialog onClose={() => setCreating(false)} onCreated={refresh} />}
      {revoking && (
        <ConfirmDialog
          open
          onClose={() => setRevoking(null)}
          title={`Revoke ${revoking.name}?`}
          about="Whatever uses it is refused at once, and so are tokens and links that were created with it. This cannot be undone."
          action="Revoke token"
          onConfirm={async () => {
            await call(
              api.DELETE('/admin/v1/tokens/{tokenId}', { params: { path: { tokenId: revoking.id } } }),
            );
            await refresh();
            toast(`Revoked ${revoking.name}`);
          }}
        />
      )}
    </>
  );
}

function TokenState({ token }: { token: Token }) {
  if (token.revokedAt !== null) return <Badge>Revoked</Badge>;
  if (token.expiresAt !== null && Date.parse(token.expiresAt) <= Date.now())
    return <Badge tone="warn">Expired</Badge>;
  return <Badge tone="accent">Active</Badge>;
}
