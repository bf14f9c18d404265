import { useQuery } from '@tanstack/react-query';
import { Download, FileDown } from 'lucide-react';
import { people } from '../../api/entries.ts';
import { isActive, type Job } from '../../api/jobs.ts';
import { useLive } from '../../api/live.tsx';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { buttonClass } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Progress } from '../../ui/progress.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { exportsQuery, fileUrl, hasFile, newest, POLL_MS } from './jobs.ts';

/** Why there was never a file. */
const ENDED: Partial<Record<Job['state'], string>> = { cancelled: 'Cancelled', failed: 'Failed' };

/** Exports whose file can still be downloaded, and those before. */
export function ExportHistory({ scope }: { scope: Scope }) {
  const query = useQuery({
    ...exportsQuery(scope),
    refetchInterval: ({ state: { data } }) => (data?.some(isMoving) ? POLL_MS : false),
  });
  const { jobs } = useLive(scope.waitlistId, scope.environment);
  const columns: Column<Job>[] = [
    { id: 'at', label: 'Created', cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
    { id: 'people', label: 'People', cell: (job) => <Size job={job} /> },
    {
      id: 'file',
      label: <span className="sr-only">File</span>,
      right: true,
      cell: (job) =>
        hasFile(job) ? (
          <a href={fileUrl(scope, job.id)} download className={buttonClass('secondary', 'sm')}>
            <Download aria-hidden />
            Download
          </a>
        ) : (
          <span className="text-sm text-mute" title={job.error ?? undefined}>
            {ENDED[job.state] ?? 'Expired'}
          </span>
        ),
    },
  ];
  return (
    <Card
      flush
      title="Exports"
      about="Download them again within 24 hours. The file shows the queue as it is then."
    >
      <QueryProblem query={query}>
        <Table
          label="Exports"
          columns={columns}
          rows={query.data?.map((job) => newest(job, jobs?.[job.id]))}
          rowId={({ id }) => id}
          empty={
            <EmptyState icon={<FileDown aria-hidden />} title="No exports yet">
              Choose who to export above. Doorlist keeps no copy of the file.
            </EmptyState>
          }
        />
      </QueryProblem>
    </Card>
  );
}

/** One that nobody downloads stays as it is. */
function isMoving(job: Job): boolean {
  return isActive(job) && Date.now() - Date.parse(job.createdAt) < 60_000;
}

function Size({ job }: { job: Job }) {
  if (isMoving(job) && job.done) return <Progress label="Exported" value={job.done} max={job.total} />;
  const count = isActive(job) ? job.total : job.done;
  return <span className="tabular-nums">{count === null ? 'More than 10,000 people' : people(count)}</span>;
}
