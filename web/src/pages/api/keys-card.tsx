import { useQuery, useQueryClient } from '@tanstack/react-query';
import { KeyRound, Plus, RefreshCw, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import type { Snippet } from '../../ui/code-block.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { CreateKeyDialog, NewKeyDialog, RevokeKeyDialog, RotateKeyDialog } from './key-dialogs.tsx';
import { type KeyScope, keysQuery, maskedKey, type ServerKey, stateOf } from './keys.ts';

interface KeysCardProps {
  scope: KeyScope;
  title: string;
  about: string;
  /** Examples to show with a new key. */
  snippets?: readonly Snippet[];
  /** Called with a key that was just created. */
  onKey?: (key: string) => void;
}

type Asking = { what: 'create' } | { what: 'rotate' | 'revoke'; target: ServerKey };

/** Server keys of one scope: create, rotate, revoke. */
export function KeysCard({ scope, title, about, snippets = [], onKey }: KeysCardProps) {
  const client = useQueryClient();
  const options = keysQuery(scope);
  const query = useQuery(options);
  const [asking, setAsking] = useState<Asking | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const refresh = () => client.invalidateQueries({ queryKey: options.queryKey });
  const close = () => setAsking(null);
  const made = async (key: string) => {
    await refresh();
    setSecret(key);
    onKey?.(key);
    close();
  };
  const isEmpty = query.data?.length === 0;
  const create = (
    <Button
      size="sm"
      look={isEmpty ? 'primary' : 'secondary'}
      icon={<Plus aria-hidden />}
      onClick={() => setAsking({ what: 'create' })}
    >
      Create key
    </Button>
  );
  return (
    <Card flush title={title} about={about} actions={!isEmpty && create}>
      <QueryProblem query={query}>
        <Table
          label={title}
          usual={1}
          columns={columns(setAsking)}
          rows={query.data}
          rowId={({ id }) => id}
          empty={
            <EmptyState icon={<KeyRound aria-hidden />} title="No keys yet" action={create}>
              Your backend sends a key with every request. Create one for {scope.environment}.
            </EmptyState>
          }
        />
      </QueryProblem>
      {asking?.what === 'create' && <CreateKeyDialog scope={scope} onClose={close} onMade={made} />}
      {asking?.what === 'rotate' && (
        <RotateKeyDialog scope={scope} target={asking.target} onClose={close} onMade={made} />
      )}
      {asking?.what === 'revoke' && (
        <RevokeKeyDialog scope={scope} target={asking.target} onClose={close} onRevoked={refresh} />
      )}
      {secret !== null && (
        <NewKeyDialog secret={secret} snippets={snippets} onClose={() => setSecret(null)} />
      )}
    </Card>
  );
}

function columns(ask: (asking: Asking) => void): Column<ServerKey>[] {
  return [
    {
      id: 'key',
      label: 'Key',
      cell: (key) => (
        <span className="flex min-w-0 flex-col">
          {key.name !== '' && <span className="font-medium break-words">{key.name}</span>}
          <code className="font-mono text-sm">{maskedKey(key)}</code>
        </span>
      ),
    },
    { id: 'state', label: 'Status', cell: (key) => <StateBadge target={key} /> },
    {
      id: 'grants',
      label: 'Access',
      wide: true,
      cell: ({ canRead }) => (canRead ? 'Read and write' : 'Write only'),
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
      cell: (key) =>
        stateOf(key) === 'active' && (
          <span className="flex justify-end gap-1">
            <IconButton
              size="sm"
              label={`Rotate ${maskedKey(key)}`}
              onClick={() => ask({ what: 'rotate', target: key })}
            >
              <RefreshCw aria-hidden />
            </IconButton>
            <IconButton
              size="sm"
              label={`Revoke ${maskedKey(key)}`}
              onClick={() => ask({ what: 'revoke', target: key })}
            >
              <Trash2 aria-hidden />
            </IconButton>
          </span>
        ),
    },
  ];
}

function StateBadge({ target }: { target: ServerKey }) {
  const state = stateOf(target);
  if (state === 'revoked') return <Badge>Revoked</Badge>;
  if (state === 'expired') return <Badge>Expired</Badge>;
  if (target.expiresAt === null) return <Badge tone="accent">Active</Badge>;
  return (
    <span className="flex flex-wrap items-center gap-2">
      <Badge tone="warn">Expiring</Badge>
      <span className="text-sm text-mute">
        <RelativeTime at={target.expiresAt} />
      </span>
    </span>
  );
}
