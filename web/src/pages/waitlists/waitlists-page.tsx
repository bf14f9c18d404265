import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ListOrdered } from 'lucide-react';
import { waitlistsQuery } from '../../api/waitlists.ts';
import { PRODUCTION } from '../../shell/waitlist-scope.ts';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { SkeletonRows } from '../../ui/skeleton.tsx';

export function WaitlistsPage() {
  const query = useQuery(waitlistsQuery(PRODUCTION));
  return (
    <>
      <PageHeader title="Waitlists" about="Numbers are of the production environment." />
      <QueryProblem query={query}>
        {query.data === undefined ? (
          <Card flush>
            <SkeletonRows />
          </Card>
        ) : query.data.length === 0 ? (
          <Card flush>
            <EmptyState
              icon={<ListOrdered aria-hidden />}
              title="Create your first waitlist"
              snippet={
                <CodeBlock
                  label="Command"
                  snippets={[
                    {
                      language: 'Shell',
                      code: 'npm run -s doorlist -- waitlist create wl_acme --name "Acme"',
                    },
                  ]}
                />
              }
            >
              A waitlist collects people, keeps their order and lets you invite them.
            </EmptyState>
          </Card>
        ) : (
          <ul className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
            {query.data.map(({ id, name, closedAt, counts }) => (
              <li key={id}>
                <Link
                  to="/waitlists/$waitlistId"
                  params={{ waitlistId: id }}
                  className="flex h-full flex-col gap-4 rounded-lg bg-surface p-5 ring-1 ring-line transition-shadow hover:shadow-lg"
                >
                  <span className="flex items-start justify-between gap-3">
                    <span className="flex min-w-0 flex-col">
                      <span className="truncate text-lg font-semibold">{name}</span>
                      <span className="truncate font-mono text-sm text-mute">{id}</span>
                    </span>
                    {closedAt !== null && <Badge>Closed</Badge>}
                  </span>
                  <span className="grid grid-cols-3 gap-2">
                    {(['waiting', 'invited', 'joined'] as const).map((status) => (
                      <span key={status} className="flex flex-col">
                        <span className="text-lg font-semibold tabular-nums">
                          {counts[status].toLocaleString('en')}
                        </span>
                        <span className="text-sm text-mute capitalize">{status}</span>
                      </span>
                    ))}
                  </span>
                </Link>
              </li>
            ))}
          </ul>
        )}
      </QueryProblem>
    </>
  );
}
