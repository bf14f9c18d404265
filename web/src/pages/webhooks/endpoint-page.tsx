import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { ArrowLeft, Send } from 'lucide-react';
import { useState } from 'react';
import { useLiveRefetch } from '../../api/live.tsx';
import { useMay } from '../../api/me.ts';
import { environmentSearch, useScope } from '../../shell/waitlist-scope.ts';
import { Alert } from '../../ui/alert.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { exactTime } from '../../ui/relative-time.tsx';
import { shorten } from '../../ui/shorten.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { toast, toastError } from '../../ui/toast.tsx';
import { useAct } from '../../ui/use-act.ts';
import { DeliveriesCard } from './deliveries-card.tsx';
import { DeliveryDrawer } from './delivery-drawer.tsx';
import { type Asking, EndpointDialogs, EndpointMenu } from './endpoint-actions.tsx';
import { EndpointFacts } from './endpoint-facts.tsx';
import { ReplayJobs } from './replay-jobs.tsx';
import { endpointQuery, sendTestEvent, updateEndpoint, webhooksKey } from './webhooks.ts';

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
  const switchOn = useAct(async (enabled: boolean) => {
    try {
      await updateEndpoint(scope, endpointId, { enabled });
      await refresh();
      toast(enabled ? 'Endpoint enabled. What was held is being sent.' : 'Endpoint disabled');
    } catch (error) {
      toastError(error);
    }
  });
  const endpoint = query.data;
  const isDamaged = endpoint?.url === null;
  return (
    <>
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
              !query.isError && <Skeleton className="my-1 h-3.5 w-64" />
            )
          }
          actions={
            mayManage &&
            (endpoint ? (
              <>
                {!isDamaged && (
                  <Button icon={<Send aria-hidden />} busy={test.busy} onClick={() => void test.run()}>
                    Send test event
                  </Button>
                )}
                <EndpointMenu
                  endpoint={endpoint}
                  onAsk={setAsking}
                  onSwitch={(enabled) => (enabled ? void switchOn.run(true) : setAsking('disable'))}
                />
              </>
            ) : (
              !query.isError && <Skeleton className="h-9 w-48 rounded-md" />
            ))
          }
        />
      </div>
      <QueryProblem framed query={query}>
        {isDamaged && (
          <Alert tone="danger" title="The settings of this endpoint are damaged">
            <p>They cannot be decrypted, so nothing is sent. Delete the endpoint, and add it again.</p>
          </Alert>
        )}
        {endpoint && !endpoint.enabled && (
          <Alert tone="warn" title="This endpoint is disabled">
            <p>
              {endpoint.disabledReason && `${sentence(endpoint.disabledReason)} `}Deliveries are held until it
              is enabled again.
            </p>
            {mayManage && (
              <Button size="sm" className="mt-2" busy={switchOn.busy} onClick={() => void switchOn.run(true)}>
                Enable
              </Button>
            )}
          </Alert>
        )}
        {endpoint?.enabled && endpoint.failingSince && (
          <Alert title={`Failing since ${exactTime(endpoint.failingSince)}`}>
            Doorlist keeps trying for three days. Once your endpoint works, replay what failed to send it at
            once.
          </Alert>
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

/** The scheme says little, and a long query breaks the heading. */
function shortUrl(url: string): string {
  const { host, pathname } = new URL(url);
  return shorten(`${host}${pathname === '/' ? '' : pathname}`);
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}
