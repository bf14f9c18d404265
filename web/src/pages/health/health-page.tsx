import { useQuery } from '@tanstack/react-query';
import { RefreshCw } from 'lucide-react';
import { ApiError, type Schemas } from '../../api/client.ts';
import { healthQuery } from '../../api/health.ts';
import { useMay } from '../../api/me.ts';
import { Alert } from '../../ui/alert.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { AlertsCard } from './alerts-card.tsx';
import { Findings } from './findings.tsx';
import { InstanceCard } from './instance-card.tsx';

type Finding = Schemas['Finding'];

const USUAL_FINDINGS = 11;

/** What the installation found out about itself. */
export function HealthPage() {
  const query = useQuery(healthQuery);
  const mayManage = useMay('admin');
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
        {query.data && query.isError && (
          <Alert title="The checks could not be loaded again">
            {ApiError.from(query.error).sentence} What you see is from the last check that worked.
          </Alert>
        )}
        {query.data && <Summary findings={query.data.findings} />}
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
        {mayManage && <AlertsCard />}
        <InstanceCard />
      </div>
    </>
  );
}

function Summary({ findings }: { findings: readonly Finding[] }) {
  const problems = findings.filter(({ level }) => level === 'problem').length;
  const warnings = findings.filter(({ level }) => level === 'warning').length;
  if (problems + warnings === 0) return null;
  const parts = [
    problems > 0 && (problems === 1 ? '1 problem' : `${problems} problems`),
    warnings > 0 && (warnings === 1 ? '1 warning' : `${warnings} warnings`),
  ];
  return (
    <Alert tone={problems > 0 ? 'danger' : 'warn'} title={parts.filter(Boolean).join(' and ')}>
      {problems > 0
        ? 'Something does not work right now.'
        : 'Doorlist works, but something is at risk or fails on the other side.'}
    </Alert>
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
