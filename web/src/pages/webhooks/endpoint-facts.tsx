import type { ReactNode } from 'react';
import { useMay } from '../../api/me.ts';
import { Badge } from '../../ui/badge.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { EndpointHealth } from './endpoint-health.tsx';
import type { Endpoint } from './webhooks.ts';

export function EndpointFacts({ endpoint }: { endpoint: Endpoint | undefined }) {
  const seesUrl = useMay('admin');
  if (!endpoint) return <LoadingFacts />;
  const { id, url, events, headers, rateLimit, lastSuccessAt, createdAt } = endpoint;
  return (
    <dl className="grid gap-x-8 gap-y-4 md:grid-cols-2">
      <Fact label={seesUrl ? 'URL' : 'Origin'}>
        {url === null ? 'Unknown' : <Copyable text={url} what={seesUrl ? 'URL' : 'origin'} />}
      </Fact>
      <Fact label="Status">
        <span className="flex flex-wrap items-center gap-2">
          <EndpointHealth endpoint={endpoint} />
          {lastSuccessAt && (
            <span className="text-sm text-mute">
              Last success <RelativeTime at={lastSuccessAt} />
            </span>
          )}
        </span>
      </Fact>
      <Fact label="Events">
        {events.length === 0 ? (
          'All events'
        ) : (
          <span className="flex flex-wrap gap-1.5">
            {events.map((event) => (
              <Badge key={event}>
                <code className="font-mono">{event}</code>
              </Badge>
            ))}
          </span>
        )}
      </Fact>
      <Fact label="Id">
        <Copyable text={id} what="id" />
      </Fact>
      {headers.length > 0 && <Fact label="Headers">{headers.join(', ')}</Fact>}
      {rateLimit !== null && <Fact label="Rate limit">{`${rateLimit} a second`}</Fact>}
      <Fact label="Created">
        <RelativeTime at={createdAt} />
      </Fact>
    </dl>
  );
}

function LoadingFacts() {
  return (
    <div role="status" aria-label="Loading">
      <dl aria-hidden className="grid gap-x-8 gap-y-4 md:grid-cols-2">
        {['URL', 'Status', 'Events', 'Id', 'Created'].map((label) => (
          <Fact key={label} label={label}>
            <Skeleton className="my-1 h-3.5 w-2/5" />
          </Fact>
        ))}
      </dl>
    </div>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <dt className="text-sm text-mute">{label}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </div>
  );
}

function Copyable({ text, what }: { text: string; what: string }) {
  return (
    <span className="-my-1.5 flex min-w-0 items-center gap-1">
      <code className="truncate font-mono text-sm" title={text}>
        {text}
      </code>
      <CopyButton text={text} what={what} size="sm" />
    </span>
  );
}
