import { useQuery, useQueryClient } from '@tanstack/react-query';
import { DoorOpen, Plus, ShieldCheck, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import {
  CreateGateKeyDialog,
  DeleteGateKeyDialog,
  NewGateKeyDialog,
  SecretDialog,
} from './gate-key-dialogs.tsx';
import { type GateKey, type GateScope, gateKeysQuery, maskedGateKey } from './gate-keys.ts';

type Asking = { what: 'create' } | { what: 'secret' | 'delete'; target: GateKey };

/** Gate keys of one waitlist in one environment: create, set a secret, delete. */
export function GateCard({ scope }: { scope: GateScope }) {
  const client = useQueryClient();
  const options = gateKeysQuery(scope);
  const query = useQuery(options);
  const [asking, setAsking] = useState<Asking | null>(null);
  const [made, setMade] = useState<string | null>(null);
  const refresh = () => client.invalidateQueries({ queryKey: options.queryKey });
  const close = () => setAsking(null);
  const isEmpty = query.data?.length === 0;
  const create = (
    <Button size="sm" icon={<Plus aria-hidden />} onClick={() => setAsking({ what: 'create' })}>
      Create gate key
    </Button>
  );
  return (
    <Card
      flush
      title="The gate"
      about="Only people you invited can sign up to your product. Your auth provider or backend asks with a gate key."
      actions={!isEmpty && create}
    >
      <QueryProblem query={query}>
        <Table
          label="Gate keys"
          usual={1}
          columns={columns(setAsking)}
          rows={query.data}
          rowId={({ id }) => id}
          empty={
            <EmptyState icon={<DoorOpen aria-hidden />} title="No gate keys yet" action={create}>
              Works with Supabase, Auth0, WorkOS, Kinde, Better Auth, Auth.js and your own code.
            </EmptyState>
          }
        />
      </QueryProblem>
      {asking?.what === 'create' && (
        <CreateGateKeyDialog
          scope={scope}
          onClose={close}
          onMade={async (key) => {
            await refresh();
            setMade(key);
            close();
          }}
        />
      )}
      {asking?.what === 'secret' && (
        <SecretDialog scope={scope} target={asking.target} onClose={close} onSaved={refresh} />
      )}
      {asking?.what === 'delete' && (
        <DeleteGateKeyDialog scope={scope} target={asking.target} onClose={close} onDeleted={refresh} />
      )}
      {made !== null && <NewGateKeyDialog secret={made} onClose={() => setMade(null)} />}
    </Card>
  );
}

function columns(ask: (asking: Asking) => void): Column<GateKey>[] {
  return [
    {
      id: 'key',
      label: 'Key',
      cell: (key) => (
        <span className="flex min-w-0 flex-col">
          {key.name !== '' && <span className="font-medium break-words">{key.name}</span>}
          <code className="font-mono text-sm">{maskedGateKey(key)}</code>
        </span>
      ),
    },
    {
      id: 'signed',
      label: 'Requests',
      cell: ({ signed }) => (signed ? <Badge tone="accent">Signed</Badge> : <Badge>Not signed</Badge>),
    },
    {
      id: 'used',
      label: 'Last used',
      wide: true,
      cell: ({ lastUsedAt }) => (lastUsedAt ? <RelativeTime at={lastUsedAt} /> : 'Never'),
    },
    { id: 'created', label: 'Created', wide: true, cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
    {
      id: 'actions',
      label: <span className="sr-only">Actions</span>,
      right: true,
      cell: (key) => (
        <span className="flex justify-end gap-1">
          <IconButton
            size="sm"
            label={`Set secret of ${maskedGateKey(key)}`}
            onClick={() => ask({ what: 'secret', target: key })}
          >
            <ShieldCheck aria-hidden />
          </IconButton>
          <IconButton
            size="sm"
            label={`Delete ${maskedGateKey(key)}`}
            onClick={() => ask({ what: 'delete', target: key })}
          >
            <Trash2 aria-hidden />
          </IconButton>
        </span>
      ),
    },
  ];
}
