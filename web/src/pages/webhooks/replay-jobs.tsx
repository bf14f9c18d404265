import { useRef } from 'react';
import type { Schemas } from '../../api/client.ts';
import { api, call } from '../../api/client.ts';
import { useLive } from '../../api/live.tsx';
import { useMay } from '../../api/me.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { Button } from '../../ui/button.tsx';
import { Progress } from '../../ui/progress.tsx';
import { toastError } from '../../ui/toast.tsx';
import { useAct } from '../../ui/use-act.ts';

type Job = Schemas['Job'];

const isActive = ({ state }: Job) => state === 'queued' || state === 'running';
const deliveries = (count: number) =>
  `${count.toLocaleString('en')} ${count === 1 ? 'delivery' : 'deliveries'}`;

/** Replays under way, and those that ended while somebody watched. */
export function ReplayJobs({ scope, endpointId }: { scope: Scope; endpointId: string }) {
  const { jobs = {} } = useLive(scope.waitlistId, scope.environment);
  const watched = useRef(new Set<string>());
  const shown = Object.values(jobs)
    .filter(({ kind, subject }) => kind === 'replay' && subject === endpointId)
    .filter(({ total }) => total !== 0) // There was nothing to replay.
    .filter((job) => isActive(job) || watched.current.has(job.id))
    .sort((a, b) => b.createdAt.localeCompare(a.createdAt));
  for (const { id } of shown) watched.current.add(id);
  if (shown.length === 0) return null;
  return (
    <ul aria-label="Replays" className="flex flex-col gap-3">
      {shown.map((job) => (
        <ReplayJob key={job.id} job={job} />
      ))}
    </ul>
  );
}

function titleOf({ state, done, total }: Job): string {
  if (state === 'queued' || state === 'running')
    return total === null ? 'Replaying deliveries' : `Replaying ${deliveries(total)}`;
  if (state === 'done') return `Replayed ${deliveries(done)}`;
  return `${state === 'failed' ? 'Stopped by an error' : 'Cancelled'} after ${deliveries(done)}`;
}

function ReplayJob({ job }: { job: Job }) {
  const mayCancel = useMay('admin');
  const cancel = useAct(() =>
    call(api.DELETE('/admin/v1/jobs/{jobId}', { params: { path: { jobId: job.id } } })).catch(toastError),
  );
  return (
    <li className="flex flex-col gap-3 rounded-lg bg-surface px-5 py-4 ring-1 ring-line">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="font-medium tabular-nums" role="status">
          {titleOf(job)}
        </p>
        {isActive(job) && mayCancel && (
          <Button size="sm" busy={cancel.busy} onClick={() => void cancel.run()}>
            Cancel
          </Button>
        )}
      </div>
      {isActive(job) && <Progress label={titleOf(job)} value={job.done} max={job.total} />}
      {job.error && <p className="text-sm text-danger">{job.error}</p>}
    </li>
  );
}
