import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { watchJob } from '../../api/jobs.ts';
import type { MailKind } from '../../api/mail-choices.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Select } from '../../ui/select.tsx';
import { toast } from '../../ui/toast.tsx';
import { kindName } from './mail-names.ts';
import { retryMails } from './mails.ts';

const HOUR_MS = 3_600_000;
const ALL = 'all';
const PERIODS = [
  { value: String(HOUR_MS), label: 'The last hour' },
  { value: String(24 * HOUR_MS), label: 'The last 24 hours' },
  { value: String(7 * 24 * HOUR_MS), label: 'The last 7 days' },
  { value: ALL, label: 'All time' },
];

interface RetryDialogProps {
  scope: Scope;
  kind: MailKind | undefined;
  onClose: () => void;
  onDone: () => unknown;
}

export function RetryDialog({ scope, kind, onClose, onDone }: RetryDialogProps) {
  const client = useQueryClient();
  const [period, setPeriod] = useState(ALL);
  const which = kind ? `emails of the kind ${kindName(kind)}` : 'emails';
  return (
    <FormDialog
      title="Retry failed emails?"
      about={`Sends ${which} again that failed. Skips people who were erased or unsubscribed, addresses that bounced, and invites that have ended.`}
      action="Retry"
      onClose={onClose}
      onSubmit={async () => {
        const since = period === ALL ? undefined : new Date(Date.now() - Number(period)).toISOString();
        const job = await retryMails(scope, { kind, since });
        watchJob(client, scope, job);
        onDone();
        onClose();
        toast(job.total === 0 ? 'Nothing failed in this time' : 'Sending failed emails again');
      }}
    >
      {(problem) => (
        <Field label="Period" error={problem('since')}>
          <Select label="Period" value={period} onChange={setPeriod} options={PERIODS} />
        </Field>
      )}
    </FormDialog>
  );
}
