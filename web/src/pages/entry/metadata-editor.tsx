import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, api, call } from '../../api/client.ts';
import { refreshPeople } from '../../api/entries.ts';
import { Field, TextArea } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { toast } from '../../ui/toast.tsx';
import type { AboutEntry } from './about-entry.ts';

/** Metadata as JSON. The server checks its limits and names what breaks them. */
export function MetadataEditor({ scope, entry, onClose }: AboutEntry & { onClose: () => void }) {
  const client = useQueryClient();
  const [text, setText] = useState(() => JSON.stringify(entry.metadata ?? {}, null, 2));
  const save = async () => {
    const metadata = parse(text);
    await call(
      api.PATCH('/admin/v1/waitlists/{waitlistId}/entries/{entryId}', {
        params: {
          path: { waitlistId: scope.waitlistId, entryId: entry.id },
          query: { environment: scope.environment },
        },
        body: { metadata },
      }),
    );
    await refreshPeople(client, scope);
    toast('Saved metadata');
    onClose();
  };
  return (
    <FormDialog
      title="Edit metadata"
      about="A JSON object. It replaces what is stored."
      action="Save"
      wide
      onClose={onClose}
      onSubmit={save}
    >
      {(problem) => (
        <Field label="Metadata" name="metadata" hideLabel error={problem('metadata')}>
          <TextArea
            rows={14}
            value={text}
            onChange={(event) => setText(event.target.value)}
            spellCheck={false}
            className="font-mono text-sm"
          />
        </Field>
      )}
    </FormDialog>
  );
}

function parse(text: string): Record<string, unknown> | null {
  if (text.trim() === '') return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ApiError(0, 'invalid', `metadata: is not JSON: ${error instanceof Error ? error.message : ''}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ApiError(0, 'invalid', 'metadata: must be a JSON object, such as { "plan": "pro" }');
  return Object.keys(value).length === 0 ? null : (value as Record<string, unknown>);
}
