import { type FormEvent, useState } from 'react';
import { api, call } from '../../api/client.ts';
import { MAX } from '../../api/limits.ts';
import { Alert } from '../../ui/alert.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { toast } from '../../ui/toast.tsx';
import { UnsavedGuard } from '../../ui/unsaved-guard.tsx';
import { useAct } from '../../ui/use-act.ts';

const EMPTY = { password: '', newPassword: '' };

export function PasswordCard() {
  const [input, setInput] = useState(EMPTY);
  const { run, busy, error } = useAct(async () => {
    await call(api.POST('/admin/v1/me/password', { body: input }));
    setInput(EMPTY);
    toast('Your password was changed', { about: 'All your other sessions have ended.' });
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run();
  };
  const problem = (field: string) => error?.about(field);
  return (
    <Card title="Password" about="Changing it signs you out everywhere else.">
      <form onSubmit={submit} className="flex max-w-sm flex-col gap-4">
        <UnsavedGuard dirty={input.password !== '' || input.newPassword !== ''} />
        {error && error.fields.length === 0 && <Alert>{error.sentence}</Alert>}
        <Field label="Current password" error={problem('password')}>
          <Input
            required
            type="password"
            autoComplete="current-password"
            value={input.password}
            onChange={(event) => setInput({ ...input, password: event.target.value })}
          />
        </Field>
        <Field label="New password" help="At least 12 characters." error={problem('newPassword')}>
          <Input
            required
            type="password"
            minLength={12}
            maxLength={MAX.PasswordChange.newPassword}
            autoComplete="new-password"
            value={input.newPassword}
            onChange={(event) => setInput({ ...input, newPassword: event.target.value })}
          />
        </Field>
        <div>
          <Button type="submit" look="primary" busy={busy}>
            Change password
          </Button>
        </div>
      </form>
    </Card>
  );
}
