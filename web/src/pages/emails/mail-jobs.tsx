import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { api, call, type Schemas } from '../../api/client.ts';
import { useLive } from '../../api/live.tsx';
import { mailStatusQuery } from '../../api/mail-status.ts';
import { useMay } from '../../api/me.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { Button } from '../../ui/button.tsx';
import { Progress } from '../../ui/progress.tsx';
import { toastError } from '../../ui/toast.tsx';
import { useAct } from '../../ui/use-act.ts';
import { mailsKey } from './mails.ts';

type Job = Schemas['Job'];

const NAMES: Readonly<Record<string, { doing: string; did: string }>> = {
  'mail-send-kept': { doing: 'Handing over kept emails', did: 'Handed over' },
  'mail-confirm': { doing: 'Sending confirmations again', did: 'Handed over' },
  'mail-retry': { doing: 'Handing over failed emails', did: 'Handed over' },
};

const isActive = ({ state }: Job) => state === 'queued' || state === 'running';

/** Jobs that send emails, under way or ended while somebody watched. */
export function MailJobs({ scope }: { scope: Scope }) {
  const client = useQueryClient();
  const { jobs = {} } = useLive(scope.waitlistId, scope.environment);
  const watched = useRef(new Set<string>());
  const shown = Object.values(jobs)
    .filter((job) => job.kind in NAMES && job.environment === scope.environment && job.total !== 0)
    .filter((job) => isActive(job) || watched.current.has(job.id))
    .sort((a, b) => b.createdAt.localeCompare(a.createdAt));
  for (const { id } of shown) watched.current.add(id);
  const ended = shown.filter((job) => !isActive(job)).length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each job that ends has changed what is kept.
  useEffect(() => {
    void client.invalidateQueries({ queryKey: mailStatusQuery(scope).queryKey });
    void client.invalidateQueries({ queryKey: mailsKey(scope) });
  }, [ended]);
  if (shown.length === 0) return null;
  return (
    <ul aria-label="Emails being sent" className="flex flex-col gap-3">
      {shown.map((job) => (
        <MailJob key={job.id} job={job} />
      ))}
    </ul>
  );
}

const emails = (count: number) => `${count.toLocaleString('en')} ${count === 1 ? 'email' : 'emails'}`;

function titleOf(job: Job): string {
  const { doing, did } = NAMES[job.kind] ?? { doing: 'Sending emails', did: 'Handed over' };
  if (isActive(job)) return doing;
  const { resent = 0, skipped = 0 } = (job.result ?? {}) as { resent?: number; skipped?: number };
  const left = skipped === 0 ? '' : `, left out ${skipped.toLocaleString('en')}`;
  if (job.state === 'done') return `${did} ${emails(resent)} to be sent${left}`;
  return `${job.state === 'failed' ? 'Stopped by an error' : 'Cancelled'} after ${emails(job.done)}`;
}

function MailJob({ job }: { job: Job }) {
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
