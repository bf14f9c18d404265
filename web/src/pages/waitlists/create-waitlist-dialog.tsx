import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, call } from '../../api/client.ts';
import { MAX } from '../../api/limits.ts';
import { Field, Input } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { slugOf } from '../../ui/slug.ts';
import { toast } from '../../ui/toast.tsx';

const ID_MAX = MAX.WaitlistRequest.id - 'wl_'.length;

export function CreateWaitlistDialog({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [chosenId, setChosenId] = useState<string | null>(null);
  const id = chosenId ?? slugOf(name, '-').slice(0, ID_MAX);
  return (
    <FormDialog
      title="Create a waitlist"
      about="It exists in every environment, with separate people in each."
      action="Create waitlist"
      onClose={onClose}
      onSubmit={async () => {
        const waitlist = await call(api.POST('/admin/v1/waitlists', { body: { id: `wl_${id}`, name } }));
        await client.invalidateQueries({ queryKey: ['waitlists'] });
        toast(`Created ${waitlist.name}`);
        await navigate({ to: '/waitlists/$waitlistId', params: { waitlistId: waitlist.id } });
      }}
    >
      {(problem) => (
        <>
          <Field label="Name" help="People see it on pages and in emails." error={problem('name')}>
            <Input
              required
              maxLength={MAX.WaitlistRequest.name}
              autoComplete="off"
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          </Field>
          <Field
            label="Id"
            help="For your code. Letters a to z, digits, hyphens and underscores. It cannot be changed later."
            error={problem('id')}
          >
            <div className="flex">
              <span
                aria-hidden
                className="flex h-9 items-center rounded-l-md bg-sunken px-3 font-mono text-sm text-mute ring-1 ring-edge ring-inset"
              >
                wl_
              </span>
              <Input
                required
                maxLength={ID_MAX}
                autoComplete="off"
                spellCheck={false}
                className="-ml-px rounded-l-none font-mono"
                value={id}
                onChange={(event) => setChosenId(event.target.value.replace(/^\s*wl_/, ''))}
              />
            </div>
          </Field>
        </>
      )}
    </FormDialog>
  );
}
