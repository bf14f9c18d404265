import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { number } from '../../ui/number.ts';
import { Progress } from '../../ui/progress.tsx';
import { toast } from '../../ui/toast.tsx';
import type { Sending } from './sending.ts';

interface WarmUpCardProps {
  sending: Sending;
  mayManage: boolean;
  onSave: (changes: { warmUp: { start: number; to: number } | null }) => Promise<void>;
}

/** A daily number of emails, which rises by itself. */
export function WarmUpCard({ sending: { warmUp }, mayManage, onSave }: WarmUpCardProps) {
  const [dialog, setDialog] = useState<'change' | 'off'>();
  const [start, setStart] = useState('');
  const [to, setTo] = useState('');
  const change = () => {
    setStart(String(warmUp?.start ?? 50));
    setTo(String(warmUp?.to ?? 5000));
    setDialog('change');
  };
  return (
    <Card
      title="Warm-up"
      about={warmUp ? undefined : 'Off. There is no limit on the emails of a day.'}
      actions={
        mayManage && (
          <>
            {warmUp && <Button onClick={() => setDialog('off')}>Switch off</Button>}
            <Button onClick={change}>{warmUp ? 'Change' : 'Start a warm-up'}</Button>
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
        <FormDialog
          title={warmUp ? 'Change the warm-up' : 'Start a warm-up'}
          about="Days are in UTC. Emails that people wait for count, but never wait."
          action={warmUp ? 'Save' : 'Start'}
          onClose={() => setDialog(undefined)}
          onSubmit={async () => {
            await onSave({ warmUp: { start: Number(start), to: Number(to) } });
            setDialog(undefined);
            toast('Warm-up saved');
          }}
        >
          {(problem) => (
            <>
              <Field label="Emails on the first day" error={problem('warmUp.start')}>
                <Input
                  required
                  type="number"
                  min={1}
                  step={1}
                  inputMode="numeric"
                  value={start}
                  onChange={(event) => setStart(event.target.value)}
                />
              </Field>
              <Field label="Most emails a day" error={problem('warmUp.to')}>
                <Input
                  required
                  type="number"
                  min={1}
                  step={1}
                  inputMode="numeric"
                  value={to}
                  onChange={(event) => setTo(event.target.value)}
                />
              </Field>
            </>
          )}
        </FormDialog>
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

function nextInWords({ today, to }: { today: number; to: number }): string {
  if (today >= to)
    return 'The last number is reached. It stays the limit of each day until you switch the warm-up off.';
  const next = number(Math.min(to, 2 * today));
  return `Tomorrow (UTC): ${next}, if at least half of today’s number is sent without a pause. It rises to ${number(to)} a day; what is over waits for the next day.`;
}
