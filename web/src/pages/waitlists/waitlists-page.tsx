import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { ListOrdered, Plus } from 'lucide-react';
import { type ReactNode, useDeferredValue } from 'react';
import { useCommands } from '../../api/commands.ts';
import { useMay } from '../../api/me.ts';
import { FEW_WAITLISTS, type Waitlist, waitlistsQuery } from '../../api/waitlists.ts';
import { PRODUCTION } from '../../shell/waitlist-scope.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { hasWords } from '../../ui/has-words.ts';
import { number } from '../../ui/number.ts';
import { PageHeader } from '../../ui/page-header.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { CreateWaitlistDialog } from './create-waitlist-dialog.tsx';
import { WaitlistSearch } from './waitlist-search.tsx';

const STATUSES = ['waiting', 'invited', 'joined'] as const;

export function WaitlistsPage() {
  const { create, search = '' } = useSearch({ from: '/shell/waitlists' });
  const navigate = useNavigate({ from: '/waitlists' });
  const mayCreate = useMay('admin');
  const query = useQuery(waitlistsQuery(PRODUCTION));
  const isLong = query.data !== undefined && query.data.length > FEW_WAITLISTS;
  const text = useDeferredValue(isLong ? search : '');
  const shown = query.data?.filter(({ id, name }) => hasWords(`${name} ${id}`, text));
  const button = mayCreate && (
    <Button
      look="primary"
      icon={<Plus aria-hidden />}
      onClick={() => void navigate({ search: (now) => ({ ...now, create: '1' }) })}
    >
      Create waitlist
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Waitlists"
        about={query.data?.length !== 0 && 'Numbers are from production.'}
        actions={query.data?.length !== 0 && button}
      />
      {isLong && (
        <WaitlistSearch
          text={search}
          onSearch={(next) =>
            void navigate({
              search: (now) => ({ ...now, search: next || undefined }),
              replace: true,
              resetScroll: false,
            })
          }
          found={shown?.length}
          total={query.data.length}
        />
      )}
      <QueryProblem framed query={query}>
        {query.data?.length === 0 ? (
          <Card flush>
            <NoWaitlists action={button} />
          </Card>
        ) : (
          <ul aria-busy={query.data === undefined} className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
            {shown?.map((waitlist) => (
              <li key={waitlist.id} className="min-w-0">
                <WaitlistCard waitlist={waitlist} />
              </li>
            )) ??
              ['first', 'second', 'third'].map((each) => (
                <li key={each}>
                  <Skeleton className="h-37.5 rounded-lg" />
                </li>
              ))}
          </ul>
        )}
      </QueryProblem>
      {create !== undefined && mayCreate && (
        <CreateWaitlistDialog
          onClose={() => void navigate({ search: (now) => ({ ...now, create: undefined }), replace: true })}
        />
      )}
    </>
  );
}

function WaitlistCard({ waitlist: { id, name, closedAt, counts } }: { waitlist: Waitlist }) {
  return (
    <Link
      to="/waitlists/$waitlistId"
      params={{ waitlistId: id }}
      className="flex h-full flex-col gap-5 rounded-lg bg-surface p-5 ring-1 ring-line transition-shadow hover:shadow-lg"
    >
      <span className="flex items-start justify-between gap-3">
        <span className="flex min-w-0 flex-col">
          <span className="truncate text-lg font-semibold" title={name}>
            {name}
          </span>
          <span className="truncate font-mono text-sm text-mute" title={id}>
            {id}
          </span>
        </span>
        {closedAt !== null && <Badge>Closed</Badge>}
      </span>
      <span className="grid grid-cols-3 gap-2">
        {STATUSES.map((status) => (
          <span key={status} className="flex min-w-0 flex-col">
            <span className="truncate text-lg font-semibold tabular-nums">{number(counts[status])}</span>
            <span className="text-sm text-mute capitalize">{status}</span>
          </span>
        ))}
      </span>
    </Link>
  );
}

function NoWaitlists({ action }: { action: ReactNode }) {
  const { command, note } = useCommands();
  return (
    <EmptyState
      icon={<ListOrdered aria-hidden />}
      title={action ? 'Create your first waitlist' : 'There is no waitlist yet'}
      action={action}
      snippet={
        action && (
          <CodeBlock
            label="Command"
            snippets={[
              {
                language: 'Command line',
                code: note + command('waitlist create wl_acme --name "Acme"'),
              },
            ]}
          />
        )
      }
    >
      A waitlist collects people, keeps them in order and lets you invite them when you are ready.
    </EmptyState>
  );
}
