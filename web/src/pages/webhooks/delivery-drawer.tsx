import { useQuery, useQueryClient } from '@tanstack/react-query';
import { RotateCcw } from 'lucide-react';
import type { ReactNode } from 'react';
import { useMay } from '../../api/me.ts';
import { PRODUCTION, useScope } from '../../shell/waitlist-scope.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Drawer } from '../../ui/dialog.tsx';
import { number } from '../../ui/number.ts';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { exactTime, RelativeTime } from '../../ui/relative-time.tsx';
import { SkeletonRows } from '../../ui/skeleton.tsx';
import { toast, toastError } from '../../ui/toast.tsx';
import { useAct } from '../../ui/use-act.ts';
import { DeliveryStateBadge } from './endpoint-health.tsx';
import {
  type DeliveryDetails,
  deliveryQuery,
  failureInWords,
  replayDelivery,
  webhooksKey,
} from './webhooks.ts';

interface DeliveryDrawerProps {
  endpointId: string;
  /** Closed without one. */
  eventId: string | undefined;
  onClose: () => void;
}

export function DeliveryDrawer({ endpointId, eventId, onClose }: DeliveryDrawerProps) {
  const scope = useScope();
  const mayManage = useMay('admin');
  const client = useQueryClient();
  const query = useQuery({
    ...deliveryQuery(scope, endpointId, eventId ?? ''),
    enabled: eventId !== undefined,
  });
  const replay = useAct(async () => {
    try {
      await replayDelivery(scope, endpointId, eventId ?? '');
      await client.invalidateQueries({ queryKey: webhooksKey(scope) });
      toast(
        scope.environment === PRODUCTION ? 'Sending it again' : `Sending it again in ${scope.environment}`,
      );
    } catch (error) {
      toastError(error);
    }
  });
  return (
    <Drawer
      open={eventId !== undefined}
      onClose={onClose}
      title={query.data?.kind ?? 'Delivery'}
      actions={
        mayManage &&
        query.data && (
          <Button
            size="sm"
            icon={<RotateCcw aria-hidden />}
            busy={replay.busy}
            onClick={() => void replay.run()}
          >
            Replay
          </Button>
        )
      }
    >
      <QueryProblem query={query}>
        {query.data ? <Details delivery={query.data} /> : <SkeletonRows flush />}
      </QueryProblem>
    </Drawer>
  );
}

function Details({ delivery }: { delivery: DeliveryDetails }) {
  const { event, state, createdAt, nextAttemptAt, request, attempts } = delivery;
  const seesUrl = useMay('admin');
  return (
    <div className="flex flex-col gap-6">
      <dl className="grid grid-cols-[7rem_minmax(0,1fr)] gap-x-4 gap-y-3">
        <Row label="State">
          <DeliveryStateBadge state={state} />
        </Row>
        <Row label="Happened">{exactTime(createdAt)}</Row>
        {nextAttemptAt && (
          <Row label="Next attempt">
            <RelativeTime at={nextAttemptAt} />
          </Row>
        )}
        <Row label="Event id">
          <code className="font-mono text-sm break-all">{event}</code>
        </Row>
      </dl>
      <section className="flex flex-col gap-3">
        <h3 className="font-semibold">Attempts</h3>
        {attempts.length === 0 ? (
          <p className="text-mute">None yet.</p>
        ) : (
          attempts
            .toReversed()
            .map((attempt) => <Attempt key={`${attempt.attempt} ${attempt.at}`} attempt={attempt} />)
        )}
      </section>
      <section className="flex flex-col gap-3">
        <h3 className="font-semibold">Request</h3>
        {request.url !== null && (
          <p className="font-mono text-sm break-all">POST {seesUrl ? request.url : `${request.url}/…`}</p>
        )}
        <CodeBlock label="Headers" snippets={[{ language: 'Headers', code: headerLines(request.headers) }]} />
        {request.body === null ? (
          <p className="text-mute">The body is gone: a person in it was erased, or it is damaged.</p>
        ) : (
          <CodeBlock label="Body" snippets={[{ language: 'Body', code: pretty(request.body) }]} />
        )}
      </section>
    </div>
  );
}

function Attempt({ attempt }: { attempt: DeliveryDetails['attempts'][number] }) {
  const { at, status, durationMs, error, response } = attempt;
  return (
    <article className="flex flex-col gap-2 rounded-lg p-3 ring-1 ring-line">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Badge tone={error === null ? 'accent' : 'danger'}>{status ?? 'No response'}</Badge>
        <span className="text-sm text-mute">
          Attempt {attempt.attempt} · <RelativeTime at={at} /> · {number(durationMs)} ms
        </span>
      </div>
      {error && <p className="text-sm break-words text-danger">{failureInWords(error)}</p>}
      {response === null ? (
        error === null && <p className="text-sm text-mute">Empty response.</p>
      ) : (
        <CodeBlock label="Response" snippets={[{ language: 'Response', code: pretty(response) }]} />
      )}
    </article>
  );
}

function Row({ label, children }: { label: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-mute">{label}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </>
  );
}

function headerLines(headers: Record<string, string | null>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value ?? '…'}`)
    .join('\n');
}

/** JSON with line breaks, for people. Other text as it is. */
function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
