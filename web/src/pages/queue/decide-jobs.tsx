import { people } from '../../api/entries.ts';
import { isActive, type Job, useWatchedJobs } from '../../api/jobs.ts';
import { JobItem } from '../../shell/job-item.tsx';
import type { Scope } from '../../shell/waitlist-scope.ts';

/** Decisions about many people, under way or ended while somebody watched. */
export function DecideJobs({ scope }: { scope: Scope }) {
  const shown = useWatchedJobs(scope, ({ kind, total }) => kind === 'decide' && total !== 0);
  if (shown.length === 0) return null;
  return (
    <ul aria-label="Decisions about many people" className="flex flex-col gap-3">
      {shown.map((job) => (
        <JobItem key={job.id} job={job} title={titleOf(job)} />
      ))}
    </ul>
  );
}

function titleOf(job: Job): string {
  const { state, done, total, result } = job;
  if (isActive(job)) return total === null ? 'Deciding about people' : `Deciding about ${people(total)}`;
  const { unreadable = 0 } = (result ?? {}) as { unreadable?: number };
  const left = unreadable === 0 ? '' : `, left out ${people(unreadable)} whose data is damaged`;
  if (state === 'done') return `Decided about ${done === null ? 'people' : people(done)}${left}`;
  return `${state === 'failed' ? 'Stopped by an error' : 'Cancelled'} after ${people(done ?? 0)}`;
}
