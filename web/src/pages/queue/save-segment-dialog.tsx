import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { EntryStatus } from '../../api/choices.ts';
import { api, call } from '../../api/client.ts';
import { MAX } from '../../api/limits.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { capitalize } from '../../ui/capitalize.ts';
import { Field, Input } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { bodyOf, savedSegmentsQuery } from './saved-segments.ts';
import type { Segment } from './segment.ts';
import { conditionsIn } from './segment-words.ts';

interface SaveSegmentDialogProps {
  scope: Scope;
  segment: Segment;
  status: EntryStatus | undefined;
  onClose: () => void;
}

export default function SaveSegmentDialog({ scope, segment, status, onClose }: SaveSegmentDialogProps) {
  const client = useQueryClient();
  const [name, setName] = useState('');
  const { waitlistId, environment } = scope;
  const conditions = [
    ...(status === undefined ? [] : [capitalize(status)]),
    ...conditionsIn(segment).map(({ label }) => label),
  ];
  return (
    <FormDialog
      title="Save this filter"
      about={`Everyone on the team can use it in ${environment}.`}
      action="Save segment"
      onClose={onClose}
      onSubmit={async () => {
        await call(
          api.POST('/admin/v1/waitlists/{waitlistId}/segments', {
            params: { path: { waitlistId }, query: { environment } },
            body: { name, conditions: bodyOf(segment, status) },
          }),
        );
        await client.invalidateQueries({ queryKey: savedSegmentsQuery(scope).queryKey });
        onClose();
      }}
    >
      {(problem) => (
        <>
          <Field label="Name" name="name" error={problem('name')}>
            <Input
              required
              maxLength={MAX.SegmentRequest.name}
              autoComplete="off"
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          </Field>
          <ul aria-label="Conditions" className="flex flex-col gap-1 text-sm text-mute">
            {conditions.map((condition) => (
              <li key={condition} className="truncate" dir="auto">
                {condition.slice(0, 200)}
              </li>
            ))}
          </ul>
        </>
      )}
    </FormDialog>
  );
}
