import { api, call } from '../api/client.ts';
import { isActive, type Job } from '../api/jobs.ts';
import { useMay } from '../api/me.ts';
import { Button } from '../ui/button.tsx';
import { Progress } from '../ui/progress.tsx';
import { toastError } from '../ui/toast.tsx';
import { useAct } from '../ui/use-act.ts';

/** A job of which others may come along, in a list. */
export function JobItem({ job, title }: { job: Job; title: string }) {
  const mayCancel = useMay('admin');
  const cancel = useAct(() =>
    call(api.DELETE('/admin/v1/jobs/{jobId}', { params: { path: { jobId: job.id } } })).catch(toastError),
  );
  return (
    <li className="flex flex-col gap-3 rounded-lg bg-surface px-5 py-4 ring-1 ring-line">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="font-medium tabular-nums" role="status">
          {title}
        </p>
        {isActive(job) && mayCancel && (
          <Button size="sm" busy={cancel.busy} onClick={() => void cancel.run()}>
            Cancel
          </Button>
        )}
      </div>
      {isActive(job) && <Progress label={title} value={job.done} max={job.total} />}
      {job.error && <p className="text-sm text-danger">{job.error}</p>}
    </li>
  );
}
