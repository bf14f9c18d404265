import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { watchJob } from '../../api/jobs.ts';
import { useScope } from '../../shell/waitlist-scope.ts';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Select } from '../../ui/select.tsx';
import { toast } from '../../ui/toast.tsx';
import { type Endpoint, nameOf, replayDeliveries } from './webhooks.ts';

const HOUR_MS = 3_600_000;
const ALL = 'all';
const PERIODS = [
  { value: String(HOUR_MS), label: 'The last hour' },
  { value: String(24 * HOUR_MS), label: 'The last 24 hours' },
  { value: String(7 * 24 * HOUR_MS), label: 'The last 7 days' },
  { value: ALL, label: 'All time' },
];

interface ReplayDialogProps {
  endpoint: Endpoint;
  onClose: () => void;
  onDone: () => Promise<unknown>;
}

export function ReplayDialog({ endpoint, onClose, onDone }: ReplayDialogProps) {
  const client = useQueryClient();
  const scope = useScope();
  const [period, setPeriod] = useState(ALL);
  return (
    <FormDialog
      title="Replay failed deliveries?"
      about={`Sends the events that ${nameOf(endpoint)} did not accept in ${scope.environment} again, oldest first. Those still waiting for their next attempt are sent now.`}
      action="Replay"
      onClose={onClose}
      onSubmit={async () => {
        const created = Date.parse(endpoint.createdAt);
        const since = period === ALL ? created : Math.max(created, Date.now() - Number(period));
        const from = new Date(since).toISOString();
        const jobs = [
          await replayDeliveries(scope, endpoint.id, 'failed', from),
          await replayDeliveries(scope, endpoint.id, 'pending', from),
        ];
        for (const job of jobs) watchJob(client, scope, job);
        await onDone();
        onClose();
        toast(
          jobs.every(({ total }) => total === 0) ? 'Nothing failed in this time' : 'Replaying what failed',
        );
      }}
    >
      {(problem) => (
        <Field label="Period" error={problem('from')}>
          <Select label="Period" value={period} onChange={setPeriod} options={PERIODS} />
        </Field>
      )}
    </FormDialog>
  );
}
