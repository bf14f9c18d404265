import { useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { api, call } from '../../api/client.ts';
import { MAX } from '../../api/limits.ts';
import { meQuery, type Operator, useMe } from '../../api/me.ts';
import { Alert } from '../../ui/alert.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { UnsavedGuard } from '../../ui/unsaved-guard.tsx';
import { useSettings } from '../../ui/use-settings.ts';

/** The own name and email. */
export function ProfileCard() {
  const me = useMe();
  const client = useQueryClient();
  const { draft, changes, set, problem, form } = useSettings({
    saved: me,
    draftOf,
    changesOf,
    save: async (body) => {
      const saved = await call(api.PATCH('/admin/v1/me', { body }));
      client.setQueryData(meQuery.queryKey, { ...saved, may: me.may });
      return { ...saved, may: me.may };
    },
  });
  const { dirty, busy, error } = form;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void form.onSave();
  };
  return (
    <Card title="Profile" about={`Your role: ${me.role}`}>
      <form onSubmit={submit} className="flex max-w-sm flex-col gap-4">
        <UnsavedGuard dirty={dirty} />
        {error && error.fields.length === 0 && <Alert>{error.sentence}</Alert>}
        <Field label="Name" error={problem('name')}>
          <Input
            required
            maxLength={MAX.ProfileChange.name}
            autoComplete="name"
            value={draft.name}
            onChange={(event) => set({ name: event.target.value })}
          />
        </Field>
        <Field label="Email" help="What you sign in with." error={problem('email')}>
          <Input
            required
            type="email"
            autoComplete="email"
            value={draft.email}
            onChange={(event) => set({ email: event.target.value })}
          />
        </Field>
        {'email' in changes && (
          <Field
            label="Current password"
            help="To change your email. Your old address gets an email about it."
            error={problem('password')}
          >
            <Input
              required
              type="password"
              autoComplete="current-password"
              value={draft.password}
              onChange={(event) => set({ password: event.target.value })}
            />
          </Field>
        )}
        <div>
          <Button type="submit" look="primary" busy={busy} idle={!dirty}>
            Save changes
          </Button>
        </div>
      </form>
    </Card>
  );
}

type Draft = ReturnType<typeof draftOf>;
const draftOf = ({ name, email }: Operator) => ({ name, email, password: '' });

/** A new email needs the password. */
function changesOf(saved: Operator, { name, email, password }: Draft) {
  return {
    ...(name.trim() === saved.name ? {} : { name }),
    ...(email.trim() === saved.email ? {} : { email, password }),
  };
}
