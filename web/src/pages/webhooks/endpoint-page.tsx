import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { ArrowLeft, Send } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useLiveRefetch } from '../../api/live.tsx';
import { useMay } from '../../api/me.ts';
import { environmentSearch, type Scope, useScope } from '../../shell/waitlist-scope.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { shorten } from '../../ui/shorten.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { toast, toastError } from '../../ui/toast.tsx';
import { useAct } from '../../ui/use-act.ts';
import { DeliveriesCard } from './deliveries-card.tsx';
import { DeliveryDrawer } from './delivery-drawer.tsx';
import { type Asking, EndpointDialogs, EndpointMenu } from './endpoint-actions.tsx';
import { EndpointAlerts } from './endpoint-alerts.tsx';
import { EndpointFacts } from './endpoint-facts.tsx';
import { ReplayJobs } from './replay-jobs.tsx';
import { type Endpoint, endpointQuery, sendTestEvent, updateEndpoint, webhooksKey } from './webhooks.ts';

const PATH = '/waitlists/$waitlistId/webhooks/$endpointId';

/** One endpoint: how it is doing, and everything that was sent to it. */
export function EndpointPage() {
  const scope = useScope();
  const mayManage = useMay('admin');
  const client = useQueryClient();
  const { endpointId } = useParams({ from: `/shell${PATH}` });
  const { delivery } = useSearch({ from: `/shell${PATH}` });
  const navigate = useNavigate({ from: PATH });
  const query = useQuery(endpointQuery(scope, endpointId));
  useLiveRefetch(scope.waitlistId, scope.environment, query.refetch);
  const [asking, setAsking] = useState<Asking | null>(null);
  const refresh = () => client.invalidateQueries({ queryKey: webhooksKey(scope) });
  const open = (eventId: string | undefined) =>
    void navigate({ search: (now) => ({ ...now, delivery: eventId }), replace: eventId === undefined });
  const test = useAct(async () => {
    try {
      const { event } = await sendTestEvent(scope, endpointId);
      await refresh();
      open(event);
    } catch (error) {
      toastError(error);
    }
  });
  const enable = useAct(async () => {
    try {
      await updateEndpoint(scope, endpointId, { enabled: true });
      await refresh();
      toast('Endpoint enabled. What was held is being sent.');
    } catch (error) {
      toastError(error);
    }
  });
  const endpoint = query.data;
  const isDamaged = endpoint?.url === null;
  return (
    <>
      <EndpointHeader
        scope={scope}
        endpoint={endpoint}
        isLoading={!query.isError}
        actions={
          mayManage &&
          (endpoint ? (
            <>
              {!isDamaged && (
                <Button icon={<Send aria-hidden />} busy={test.busy} onClick={() => void test.run()}>
                  Send test event
                </Button>
              )}
              <EndpointMenu endpoint={endpoint} onAsk={setAsking} onEnable={() => void enable.run()} />
            </>
          ) : (
            !query.isError && <Skeleton className="h-9 w-48 rounded-md" />
          ))
        }
      />
      <QueryProblem framed query={query}>
        {endpoint && (
          <EndpointAlerts
            endpoint={endpoint}
            enabling={enable.busy}
            onEnable={mayManage ? () => void enable.run() : undefined}
          />
        )}
        <Card title="Endpoint">
          <EndpointFacts endpoint={endpoint} />
        </Card>
        <ReplayJobs scope={scope} endpointId={endpointId} />
        <DeliveriesCard
          endpointId={endpointId}
          onOpen={open}
          maySend={mayManage && !isDamaged}
          onReplay={() => setAsking('replay')}
          onTest={() => void test.run()}
        />
      </QueryProblem>
      <DeliveryDrawer endpointId={endpointId} eventId={delivery} onClose={() => open(undefined)} />
      {endpoint && (
        <EndpointDialogs
          endpoint={endpoint}
          asking={asking}
          onAsk={setAsking}
          onChanged={refresh}
          onDisable={() => updateEndpoint(scope, endpointId, { enabled: false })}
        />
      )}
    </>
  );
}

interface EndpointHeaderProps {
  scope: Scope;
  /** Undefined while it is loading. */
  endpoint: Endpoint | undefined;
  isLoading: boolean;
  actions: ReactNode;
}

function EndpointHeader({ scope, endpoint, isLoading, actions }: EndpointHeaderProps) {
  return (
    <div className="flex flex-col gap-3">
      <Link
        to="/waitlists/$waitlistId/webhooks"
        params={{ waitlistId: scope.waitlistId }}
        search={environmentSearch(scope.environment)}
        className="flex items-center gap-1.5 self-start rounded-sm text-sm text-mute hover:text-ink"
      >
        <ArrowLeft className="size-4" aria-hidden />
        Webhooks
      </Link>
      <PageHeader
        title={endpoint?.url ? shortUrl(endpoint.url) : 'Endpoint'}
        about={
          endpoint ? (
            <span className="line-clamp-2 wrap-anywhere">{endpoint.description}</span>
          ) : (
            isLoading && <Skeleton className="my-1 h-3.5 w-64" />
          )
        }
        actions={actions}
      />
    </div>
  );
}

/** The scheme says little, and a long query breaks the heading. */
function shortUrl(url: string): string {
  const { host, pathname } = new URL(url);
  return shorten(`${host}${pathname === '/' ? '' : pathname}`);
}
