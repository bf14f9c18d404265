import { isActive, type Job, useWatchedJobs } from '../../api/jobs.ts';
import { JobItem } from '../../shell/job-item.tsx';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { number } from '../../ui/number.ts';

const deliveries = (count: number) => `${number(count)} ${count === 1 ? 'delivery' : 'deliveries'}`;

/** Replays under way, and those that ended while somebody watched. Not those that had nothing to replay. */
export function ReplayJobs({ scope, endpointId }: { scope: Scope; endpointId: string }) {
  const shown = useWatchedJobs(
    scope,
    ({ kind, subject, total }) => kind === 'replay' && subject === endpointId && total !== 0,
  );
  if (shown.length === 0) return null;
  return (
    <ul aria-label="Replays" className="flex flex-col gap-3">
      {shown.map((job) => (
        <JobItem key={job.id} job={job} title={titleOf(job)} />
      ))}
    </ul>
  );
}

function titleOf(job: Job): string {
  const { state, total } = job;
  const done = job.done ?? 0;
  if (isActive(job)) return total === null ? 'Replaying deliveries' : `Replaying ${deliveries(total)}`;
  if (state === 'done') return `Replayed ${deliveries(done)}`;
  return `${state === 'failed' ? 'Stopped by an error' : 'Cancelled'} after ${deliveries(done)}`;
}
