import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, call } from '../../api/client.ts';
import { meQuery, useMe } from '../../api/me.ts';
import { Alert } from '../../ui/alert.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { toast } from '../../ui/toast.tsx';
import { UnsavedGuard } from '../../ui/unsaved-guard.tsx';
import { useAct } from '../../ui/use-act.ts';

/** The own name and email. */
export function ProfileCard() {
  const me = useMe();
  const client = useQueryClient();
  const [input, setInput] = useState({ name: me.name, email: me.email, password: '' });
  const moves = input.email.trim() !== me.email;
  const dirty = moves || input.name.trim() !== me.name;
  const { run, busy, error } = useAct(async () => {
    const { name, email, password } = input;
    const body = moves ? { name, email, password } : { name };
    const saved = await call(api.PATCH('/admin/v1/me', { body }));
    client.setQueryData(meQuery.queryKey, saved);
    setInput({ name: saved.name, email: saved.email, password: '' });
    toast('Saved your changes');
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run();
  };
  const problem = (field: string) => error?.about(field);
  return (
    <Card title="Profile" about={`Your role: ${me.role}`}>
      <form onSubmit={submit} className="flex max-w-sm flex-col gap-4">
        <UnsavedGuard dirty={dirty} />
        {error && error.fields.length === 0 && <Alert>{error.sentence}</Alert>}
        <Field label="Name" error={problem('name')}>
          <Input
            required
            maxLength={100}
            autoComplete="name"
            value={input.name}
            onChange={(event) => setInput({ ...input, name: event.target.value })}
          />
        </Field>
        <Field label="Email" help="What you sign in with." error={problem('email')}>
          <Input
            required
            type="email"
            autoComplete="email"
            value={input.email}
            onChange={(event) => setInput({ ...input, email: event.target.value })}
          />
        </Field>
        {moves && (
          <Field
            label="Current password"
            help="To change your email. Your old address gets an email about it."
            error={problem('password')}
          >
            <Input
              required
              type="password"
              autoComplete="current-password"
              value={input.password}
              onChange={(event) => setInput({ ...input, password: event.target.value })}
            />
          </Field>
        )}
        <div>
          <Button type="submit" look="primary" busy={busy} disabled={!dirty}>
            Save changes
          </Button>
        </div>
      </form>
    </Card>
  );
}
