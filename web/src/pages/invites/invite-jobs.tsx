import { useQuery } from '@tanstack/react-query';
import { Ban, Send } from 'lucide-react';
import { useState } from 'react';
import { api, call } from '../../api/client.ts';
import { people } from '../../api/entries.ts';
import { isActive, type Job, useWatchedJobs } from '../../api/jobs.ts';
import { mailableOf, mailStatusQuery, waits, whyNotMailed } from '../../api/mail-status.ts';
import { useMay } from '../../api/me.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { number } from '../../ui/number.ts';
import { Progress } from '../../ui/progress.tsx';
import { toast } from '../../ui/toast.tsx';
import { invitesOf } from './invites-in-words.ts';

export const JOB_KINDS: readonly string[] = ['invite', 'revoke'];

/** Invites being sent or revoked, and those that ended while somebody watched. */
export function InviteJobs({ scope }: { scope: Scope }) {
  const [dismissed, setDismissed] = useState<readonly string[]>([]);
  const shown = useWatchedJobs(scope, ({ id, kind }) => JOB_KINDS.includes(kind) && !dismissed.includes(id));
  if (shown.length === 0) return null;
  return (
    <ul aria-label="Invites being sent" className="flex flex-col gap-3">
      {shown.map((job) => (
        <li key={job.id}>
          <JobCard job={job} onDismiss={() => setDismissed([...dismissed, job.id])} />
        </li>
      ))}
    </ul>
  );
}

function titleOf({ kind, state, done, total }: Job): string {
  const isRevoked = kind === 'revoke';
  if (isRevoked && (state === 'queued' || state === 'running'))
    return `Revoking ${total === null ? 'invites' : invitesOf(total)}`;
  if (isRevoked && state === 'done') return `Revoked ${done === null ? 'invites' : invitesOf(done)}`;
  if (state === 'queued' || state === 'running')
    return total === null ? 'Inviting people' : `Inviting ${people(total)}`;
  if (state === 'done') return `Invited ${done === null ? 'people' : people(done)}`;
  const reached = done === null ? '' : ` after ${isRevoked ? invitesOf(done) : people(done)}`;
  return `${state === 'failed' ? 'Stopped by an error' : 'Stopped'}${reached}`;
}

/** Viewers do not learn how many. */
function progressOf({ done, total }: Job): string {
  if (done === null) return '';
  return `${number(done)}${total === null ? '' : ` of ${number(total)}`} · `;
}

function JobCard({ job, onDismiss }: { job: Job; onDismiss: () => void }) {
  const [cancelling, setCancelling] = useState(false);
  const mayCancel = useMay('support');
  const { kind, state, done, total, error, environment } = job;
  const isInviting = kind === 'invite';
  const { data: status } = useQuery(mailStatusQuery({ waitlistId: job.waitlistId, environment }));
  const invites = mailableOf(status, 'invite');
  const notMailed = invites && isInviting ? whyNotMailed(invites) : undefined;
  return (
    <div className="flex flex-col gap-3 rounded-lg bg-surface px-5 py-4 ring-1 ring-line">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <div className="flex min-w-0 items-center gap-3">
          <span className="flex size-8 shrink-0 items-center justify-center rounded-md bg-violet-soft text-violet">
            {isInviting ? <Send className="size-4" aria-hidden /> : <Ban className="size-4" aria-hidden />}
          </span>
          <div className="min-w-0">
            <p className="font-medium" role="status">
              {titleOf(job)}
            </p>
            <p className="text-sm text-mute tabular-nums">
              {isActive(job)
                ? `${progressOf(job)}in ${environment}`
                : `in ${environment}${!invites || notMailed === undefined || done === 0 ? '' : ` · ${waits(invites) ? 'Emails wait' : 'Not emailed'}: ${notMailed}`}`}
            </p>
          </div>
        </div>
        {isActive(job) ? (
          mayCancel && (
            <Button size="sm" onClick={() => setCancelling(true)}>
              Stop
            </Button>
          )
        ) : (
          <Button size="sm" look="quiet" onClick={onDismiss}>
            Dismiss
          </Button>
        )}
      </div>
      {isActive(job) && <Progress label={titleOf(job)} value={done} max={total} />}
      {state === 'failed' && error && <p className="text-sm text-danger">{error}</p>}
      <ConfirmDialog
        open={cancelling}
        onClose={() => setCancelling(false)}
        title={isInviting ? 'Stop inviting?' : 'Stop revoking?'}
        about={
          isInviting
            ? `Nobody else in ${environment} is invited. Invites that were created stay valid: ${number(done ?? 0)} so far.`
            : `No other invite in ${environment} is revoked. ${number(done ?? 0)} were so far.`
        }
        action={isInviting ? 'Stop inviting' : 'Stop revoking'}
        onConfirm={async () => {
          await call(api.DELETE('/admin/v1/jobs/{jobId}', { params: { path: { jobId: job.id } } }));
          toast(isInviting ? 'Stopped inviting' : 'Stopped revoking');
        }}
      />
    </div>
  );
}
