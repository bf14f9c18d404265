import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { isActive, type Job, useWatchedJobs } from '../../api/jobs.ts';
import { mailStatusQuery } from '../../api/mail-status.ts';
import { JobItem } from '../../shell/job-item.tsx';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { number } from '../../ui/number.ts';
import { mailsKey } from './mails.ts';

const DOING: Readonly<Record<string, string>> = {
  'mail-send-kept': 'Handing over kept emails',
  'mail-confirm': 'Sending confirmations again',
  'mail-retry': 'Handing over failed emails',
};

/** Jobs that send emails, under way or ended while somebody watched. */
export function MailJobs({ scope }: { scope: Scope }) {
  const client = useQueryClient();
  const shown = useWatchedJobs(scope, ({ kind, total }) => kind in DOING && total !== 0);
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
        <JobItem key={job.id} job={job} title={titleOf(job)} />
      ))}
    </ul>
  );
}

const emails = (count: number) => `${number(count)} ${count === 1 ? 'email' : 'emails'}`;

function titleOf(job: Job): string {
  if (isActive(job)) return DOING[job.kind] ?? 'Sending emails';
  const { resent = 0, skipped = 0 } = (job.result ?? {}) as { resent?: number; skipped?: number };
  const left = skipped === 0 ? '' : `, left out ${number(skipped)}`;
  if (job.state === 'done') return `Handed over ${emails(resent)} to be sent${left}`;
  return `${job.state === 'failed' ? 'Stopped by an error' : 'Cancelled'} after ${emails(job.done ?? 0)}`;
}
