import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Plus, Webhook } from 'lucide-react';
import { useState } from 'react';
import { useLiveRefetch } from '../../api/live.tsx';
import { useMay } from '../../api/me.ts';
import { environmentSearch, useScope } from '../../shell/waitlist-scope.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { EndpointForm } from './endpoint-form.tsx';
import { EndpointHealth, eventsText } from './endpoint-health.tsx';
import { SecretDialog } from './secret-dialogs.tsx';
import { VERIFY_SNIPPETS } from './verify-snippets.ts';
import { type Endpoint, endpointsQuery } from './webhooks.ts';

/** Endpoints that get the events of a waitlist. */
export function WebhooksPage() {
  const scope = useScope();
  const mayManage = useMay('admin');
  const client = useQueryClient();
  const navigate = useNavigate();
  const query = useQuery(endpointsQuery(scope));
  useLiveRefetch(scope.waitlistId, scope.environment, query.refetch);
  const [creating, setCreating] = useState(false);
  const [created, setCreated] = useState<{ id: string; secret: string } | null>(null);
  const open = (endpointId: string) =>
    void navigate({
      to: '/waitlists/$waitlistId/webhooks/$endpointId',
      params: { waitlistId: scope.waitlistId, endpointId },
      search: environmentSearch(scope.environment),
    });
  const add = mayManage && (
    <Button look="primary" icon={<Plus aria-hidden />} onClick={() => setCreating(true)}>
      Add endpoint
    </Button>
  );
  const columns: Column<Endpoint>[] = [
    {
      id: 'url',
      label: 'Endpoint',
      className: 'max-w-80 max-md:w-full max-md:max-w-0',
      cell: ({ id, url, description }) => (
        <span className="flex min-w-0 flex-col">
          <span className="truncate font-medium" title={url ?? id}>
            {url ?? id}
          </span>
          {description && (
            <span className="truncate text-sm text-mute" title={description}>
              {description}
            </span>
          )}
        </span>
      ),
    },
    {
      id: 'events',
      label: 'Events',
      wide: true,
      className: 'max-w-56',
      cell: ({ events }) => (
        <span className="block truncate" title={events.join(', ')}>
          {eventsText(events)}
        </span>
      ),
    },
    { id: 'health', label: 'Status', cell: (endpoint) => <EndpointHealth endpoint={endpoint} /> },
    {
      id: 'success',
      label: 'Last success',
      wide: true,
      right: true,
      cell: ({ lastSuccessAt }) => <RelativeTime at={lastSuccessAt} />,
    },
  ];
  return (
    <>
      <PageHeader
        title="Webhooks"
        about={
          mayManage
            ? 'Tell your application what happens on this waitlist.'
            : 'What your application is told. Only admins can change endpoints.'
        }
        actions={query.data?.length !== 0 && add}
      />
      <Card flush>
        <QueryProblem query={query}>
          <Table
            label="Endpoints"
            columns={columns}
            rows={query.data}
            rowId={({ id }) => id}
            onOpen={({ id }) => open(id)}
            empty={
              <EmptyState
                icon={<Webhook aria-hidden />}
                title="No endpoints yet"
                action={add}
                snippet={
                  <div className="flex flex-col gap-2">
                    <p className="text-sm text-mute">A receiver that verifies them:</p>
                    <CodeBlock label="A receiver" snippets={VERIFY_SNIPPETS} />
                  </div>
                }
              >
                Add a URL of your application. Signups, referrals and invites in {scope.environment} are
                posted to it as signed JSON, and retried for three days.
              </EmptyState>
            }
          />
        </QueryProblem>
      </Card>
      {creating && (
        <EndpointForm
          scope={scope}
          onClose={() => setCreating(false)}
          onSaved={async ({ id, secret }) => {
            await client.invalidateQueries({ queryKey: endpointsQuery(scope).queryKey });
            setCreating(false);
            setCreated({ id, secret: secret ?? '' });
          }}
        />
      )}
      {created && (
        <SecretDialog
          shown={{ secret: created.secret, about: 'Copy it now. Later, showing it takes your password.' }}
          onClose={() => open(created.id)}
        />
      )}
    </>
  );
}
