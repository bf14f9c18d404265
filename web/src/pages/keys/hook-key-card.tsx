import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus, Rss, ShieldCheck, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { capitalize } from '../../ui/capitalize.ts';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import {
  CreateHookKeyDialog,
  DeleteHookKeyDialog,
  KeySecretDialog,
  type MadeKey,
  NewHookKeyDialog,
  TopicDialog,
} from './hook-key-dialogs.tsx';
import { canSign, type HookKey, type HookKind, type HookScope, labelOf, maskedKey } from './hook-keys.ts';

type Asking = { what: 'create' } | { what: 'secret' | 'topic' | 'delete'; target: HookKey };

/** Hook keys of one kind, of one waitlist in one environment: create, set a secret, delete. */
export function HookKeyCard({ kind, scope }: { kind: HookKind; scope: HookScope }) {
  const client = useQueryClient();
  const queryKey = [kind.queryKey, scope.waitlistId, scope.environment];
  const query = useQuery({ queryKey, queryFn: async () => (await kind.list(scope)).toReversed() });
  const [asking, setAsking] = useState<Asking | null>(null);
  const [made, setMade] = useState<MadeKey | null>(null);
  const refresh = () => client.invalidateQueries({ queryKey });
  const close = () => setAsking(null);
  const isEmpty = query.data?.length === 0;
  const create = (
    <Button size="sm" icon={<Plus aria-hidden />} onClick={() => setAsking({ what: 'create' })}>
      Create {kind.called}
    </Button>
  );
  return (
    <Card flush title={kind.title} about={kind.about} actions={!isEmpty && create}>
      <QueryProblem query={query}>
        <Table
          label={`${capitalize(kind.called)}s`}
          usual={1}
          columns={columns(kind, setAsking)}
          rows={query.data}
          rowId={({ id }) => id}
          empty={
            <EmptyState icon={kind.icon} title={`No ${kind.called}s yet`} action={create}>
              {kind.worksWith}
            </EmptyState>
          }
        />
      </QueryProblem>
      {asking?.what === 'create' && (
        <CreateHookKeyDialog
          kind={kind}
          scope={scope}
          onClose={close}
          onMade={async (created) => {
            await refresh();
            setMade(created);
            close();
          }}
        />
      )}
      {asking?.what === 'secret' && (
        <KeySecretDialog kind={kind} scope={scope} target={asking.target} onClose={close} onSaved={refresh} />
      )}
      {asking?.what === 'topic' && (
        <TopicDialog kind={kind} scope={scope} target={asking.target} onClose={close} onSaved={refresh} />
      )}
      {asking?.what === 'delete' && (
        <DeleteHookKeyDialog
          kind={kind}
          scope={scope}
          target={asking.target}
          onClose={close}
          onDeleted={refresh}
        />
      )}
      {made !== null && <NewHookKeyDialog kind={kind} made={made} onClose={() => setMade(null)} />}
    </Card>
  );
}

function Topic({ topic }: { topic: string | null | undefined }) {
  if (topic === undefined) return null;
  return topic === null ? (
    <span className="text-sm text-mute">The topic of the first subscription</span>
  ) : (
    <code className="font-mono text-sm break-all text-mute">{topic}</code>
  );
}

function columns(kind: HookKind, ask: (asking: Asking) => void): Column<HookKey>[] {
  const { callerOf } = kind;
  const takesSecret = (key: HookKey) =>
    key.signed || !callerOf || callerOf(key) === null || canSign(kind, callerOf(key));
  return [
    {
      id: 'key',
      label: 'Key',
      cell: (key) => (
        <span className="flex min-w-0 flex-col">
          {key.name !== '' && <span className="font-medium break-words">{key.name}</span>}
          <code className="font-mono text-sm">{maskedKey(kind, key)}</code>
        </span>
      ),
    },
    ...(callerOf
      ? [
          {
            id: 'caller',
            label: kind.who,
            cell: (key: HookKey) => (
              <span className="flex min-w-0 flex-col">
                {labelOf(kind, callerOf(key)) ?? 'Whoever does so next'}
                <Topic topic={kind.topic?.of(key)} />
              </span>
            ),
          },
        ]
      : []),
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
          {takesSecret(key) && (
            <IconButton
              size="sm"
              label={`Set secret of ${maskedKey(kind, key)}`}
              onClick={() => ask({ what: 'secret', target: key })}
            >
              <ShieldCheck aria-hidden />
            </IconButton>
          )}
          {kind.topic?.of(key) !== undefined && (
            <IconButton
              size="sm"
              label={`Set topic of ${maskedKey(kind, key)}`}
              onClick={() => ask({ what: 'topic', target: key })}
            >
              <Rss aria-hidden />
            </IconButton>
          )}
          <IconButton
            size="sm"
            label={`Delete ${maskedKey(kind, key)}`}
            onClick={() => ask({ what: 'delete', target: key })}
          >
            <Trash2 aria-hidden />
          </IconButton>
        </span>
      ),
    },
  ];
}
