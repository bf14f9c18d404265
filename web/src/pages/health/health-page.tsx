import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CircleCheck, RefreshCw, TriangleAlert } from 'lucide-react';
import type { Schemas } from '../../api/client.ts';
import { healthQuery } from '../../api/health.ts';
import { environmentSearch } from '../../shell/waitlist-scope.ts';
import { Alert } from '../../ui/alert.tsx';
import { Button } from '../../ui/button.tsx';
import { capitalize } from '../../ui/capitalize.ts';
import { Card } from '../../ui/card.tsx';
import { cx } from '../../ui/cx.ts';
import { PageHeader } from '../../ui/page-header.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { InstanceCard } from './instance-card.tsx';

type Finding = Schemas['Finding'];

const USUAL_FINDINGS = 8;

/** What the installation found out about itself. */
export function HealthPage() {
  const query = useQuery(healthQuery);
  const bad = query.data?.findings.filter(({ ok }) => !ok) ?? [];
  return (
    <>
      <PageHeader
        title="Health"
        about="Checked every 15 seconds. The status command shows the same in a terminal."
        actions={
          <Button
            icon={<RefreshCw aria-hidden />}
            busy={query.isFetching && query.data !== undefined}
            onClick={() => query.refetch()}
          >
            Check now
          </Button>
        }
      />
      <div className="flex flex-col gap-6">
        {bad.length > 0 && (
          <Alert
            tone={bad.some(({ level }) => level === 'problem') ? 'danger' : 'warn'}
            title={bad.length === 1 ? 'One check needs attention' : `${bad.length} checks need attention`}
          >
            See what is marked below.
          </Alert>
        )}
        <Card
          flush
          title="Checks"
          about={
            query.data ? (
              <>
                Last checked <RelativeTime at={new Date(query.dataUpdatedAt).toISOString()} />
              </>
            ) : (
              'Not checked yet'
            )
          }
        >
          <QueryProblem query={query}>
            {query.data ? <Findings findings={query.data.findings} /> : <LoadingFindings />}
          </QueryProblem>
        </Card>
        <InstanceCard />
      </div>
    </>
  );
}

const TONES = { fine: 'text-mute', warning: 'text-warn', problem: 'text-danger' };

function inWords(detail: string): string {
  return capitalize(detail.replace(/^sqlite\b/, 'SQLite').replace(/^postgres\b/, 'PostgreSQL'));
}

function Findings({ findings }: { findings: readonly Finding[] }) {
  return (
    <ul aria-label="Checks" className="flex flex-col border-t">
      {findings.map(({ what, ok, level, detail, endpoint }) => (
        <li
          key={`${what} ${endpoint?.id ?? detail}`}
          className="flex items-start gap-3 border-b px-5 py-3 last:border-0"
        >
          {ok ? (
            <CircleCheck className="mt-0.75 size-4 shrink-0 text-accent" aria-label="Fine" />
          ) : (
            <TriangleAlert
              className={cx('mt-0.75 size-4 shrink-0', TONES[level])}
              aria-label="Needs attention"
            />
          )}
          <div className="grid min-w-0 flex-1 gap-x-4 md:grid-cols-[12rem_1fr]">
            <span className="font-medium first-letter:uppercase">{what}</span>
            <span className={cx('wrap-anywhere', TONES[level])}>
              {endpoint ? detail : inWords(detail)}
              {endpoint && <ShowEndpoint {...endpoint} />}
            </span>
          </div>
        </li>
      ))}
    </ul>
  );
}

function LoadingFindings() {
  return (
    <ul role="status" aria-label="Loading" className="border-t">
      {Array.from({ length: USUAL_FINDINGS }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same.
        <li key={index} className="flex items-start gap-3 border-b px-5 py-3 last:border-0">
          <Skeleton className="mt-0.75 size-4 rounded-full" />
          <span className="grid flex-1 gap-x-4 md:grid-cols-[12rem_1fr]">
            <Skeleton className="my-1 h-3.5 w-24" />
            <Skeleton className="my-1 h-3.5 w-3/5" />
          </span>
        </li>
      ))}
    </ul>
  );
}

function ShowEndpoint({ id, waitlistId, environment }: NonNullable<Finding['endpoint']>) {
  return (
    <Link
      to="/waitlists/$waitlistId/webhooks/$endpointId"
      params={{ waitlistId, endpointId: id }}
      search={environmentSearch(environment)}
      className="block self-start rounded-sm font-medium underline underline-offset-4"
    >
      Show it in {waitlistId}, {environment}
    </Link>
  );
}
