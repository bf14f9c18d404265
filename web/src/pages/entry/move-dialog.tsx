import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, call } from '../../api/client.ts';
import { refreshPeople } from '../../api/entries.ts';
import { waitlistQuery } from '../../api/waitlists.ts';
import { Button } from '../../ui/button.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { number } from '../../ui/number.ts';
import { toast } from '../../ui/toast.tsx';
import type { AboutEntry } from './about-entry.ts';

export function MoveDialog({ scope, entry, onClose }: AboutEntry & { onClose: () => void }) {
  const client = useQueryClient();
  const { data } = useQuery(waitlistQuery(scope));
  const [text, setText] = useState(String(entry.position ?? 1));
  const last = data?.counts.waiting;
  const move = async () => {
    const moved = await call(
      api.PATCH('/admin/v1/waitlists/{waitlistId}/entries/{entryId}', {
        params: {
          path: { waitlistId: scope.waitlistId, entryId: entry.id },
          query: { environment: scope.environment },
        },
        body: { position: Number(text) },
      }),
    );
    await refreshPeople(client, scope);
    toast(`Moved to position ${number(moved.position ?? 0)}`);
    onClose();
  };
  return (
    <FormDialog
      title="Move in line"
      about="The front and the end are exact. In between, it becomes the nearest place that the order allows. Later referrals move the person on from there."
      action="Move"
      onClose={onClose}
      onSubmit={move}
    >
      {(problem) => (
        <>
          <Field label="New position" name="position" error={problem('position')}>
            <Input
              type="number"
              min={1}
              max={last}
              step={1}
              required
              inputMode="numeric"
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          </Field>
          <div className="flex gap-2">
            <Button size="sm" onClick={() => setText('1')}>
              To the front
            </Button>
            {last !== undefined && (
              <Button size="sm" onClick={() => setText(String(last))}>
                To the end
              </Button>
            )}
          </div>
        </>
      )}
    </FormDialog>
  );
}
