import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { number } from '../../ui/number.ts';
import { Progress } from '../../ui/progress.tsx';
import { toast } from '../../ui/toast.tsx';
import { useSettings } from '../../ui/use-settings.ts';
import { type Sending, type SendingChanges, sendingQuery } from './sending.ts';

interface WarmUpCardProps {
  scope: Scope;
  sending: Sending;
  mayManage: boolean;
  onSave: (changes: SendingChanges, etag?: string) => Promise<Sending>;
}

/** A daily number of emails, which rises by itself. */
export function WarmUpCard({ scope, sending, mayManage, onSave }: WarmUpCardProps) {
  const { warmUp } = sending;
  const [dialog, setDialog] = useState<'change' | 'off'>();
  return (
    <Card
      title="Warm-up"
      about={warmUp ? undefined : 'Off. There is no limit on the emails of a day.'}
      actions={
        mayManage && (
          <>
            {warmUp && <Button onClick={() => setDialog('off')}>Switch off</Button>}
            <Button onClick={() => setDialog('change')}>{warmUp ? 'Change' : 'Start a warm-up'}</Button>
          </>
        )
      }
    >
      {warmUp ? (
        <div className="flex flex-col gap-3">
          <p className="tabular-nums">
            {number(warmUp.sentToday)} of {number(warmUp.today)} sent today
          </p>
          <Progress label="Sent today" value={warmUp.sentToday} max={warmUp.today} />
          <p className="max-w-prose text-sm text-mute">{nextInWords(warmUp)}</p>
        </div>
      ) : (
        <p className="max-w-prose text-sm text-mute">
          Mail providers distrust a new sender that sends thousands of emails at once. A warm-up begins with a
          few a day and doubles the number after each good day.
        </p>
      )}
      {dialog === 'change' && (
        <WarmUpDialog scope={scope} sending={sending} onClose={() => setDialog(undefined)} onSave={onSave} />
      )}
      <ConfirmDialog
        open={dialog === 'off'}
        onClose={() => setDialog(undefined)}
        title="Switch off the warm-up?"
        about="Emails that wait for tomorrow are sent now, and there is no daily number any more."
        action="Switch off"
        onConfirm={async () => {
          await onSave({ warmUp: null });
          toast('Warm-up switched off');
        }}
      />
    </Card>
  );
}

/** Of one that has not begun. */
const USUAL = { start: 50, to: 5000 };

function draftOf({ warmUp }: Pick<Sending, 'warmUp'>) {
  const { start, to } = warmUp ?? USUAL;
  return { start: String(start), to: String(to) };
}

/** Both numbers together, because they are one setting. */
function changesOf({ warmUp }: Pick<Sending, 'warmUp'>, { start, to }: ReturnType<typeof draftOf>) {
  const wanted = { start: Number(start), to: Number(to) };
  return warmUp?.start === wanted.start && warmUp.to === wanted.to ? {} : { warmUp: wanted };
}

function WarmUpDialog({
  scope,
  sending,
  onClose,
  onSave,
}: Omit<WarmUpCardProps, 'mayManage'> & { onClose: () => void }) {
  const client = useQueryClient();
  const isOn = sending.warmUp !== null;
  const { draft, set, meanwhile, save } = useSettings({
    saved: sending,
    draftOf,
    changesOf,
    save: (changes, { etag }) => onSave(changes, etag),
    others: {
      labels: { start: 'Emails on the first day', to: 'Most emails a day' },
      reload: () => client.fetchQuery({ ...sendingQuery(scope), staleTime: 0 }),
    },
  });
  return (
    <FormDialog
      title={isOn ? 'Change the warm-up' : 'Start a warm-up'}
      about="Days are in UTC. Emails that people wait for count, but never wait."
      action={isOn ? 'Save' : 'Start'}
      onClose={onClose}
      meanwhile={meanwhile}
      onSubmit={async (over) => {
        if (!(await save(over))) return;
        onClose();
        toast('Warm-up saved');
      }}
    >
      {(problem) => (
        <>
          <Field label="Emails on the first day" error={problem('warmUp.start')}>
            <Input {...WHOLE} value={draft.start} onChange={(event) => set({ start: event.target.value })} />
          </Field>
          <Field label="Most emails a day" error={problem('warmUp.to')}>
            <Input {...WHOLE} value={draft.to} onChange={(event) => set({ to: event.target.value })} />
          </Field>
        </>
      )}
    </FormDialog>
  );
}

const WHOLE = { required: true, type: 'number', min: 1, step: 1, inputMode: 'numeric' } as const;

function nextInWords({ today, to }: { today: number; to: number }): string {
  if (today >= to)
    return 'The last number is reached. It stays the limit of each day until you switch the warm-up off.';
  const next = number(Math.min(to, 2 * today));
  return `Tomorrow (UTC): ${next}, if at least half of today’s number is sent without a pause. It rises to ${number(to)} a day; what is over waits for the next day.`;
}
