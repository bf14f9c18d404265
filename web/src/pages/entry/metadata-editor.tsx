import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, call } from '../../api/client.ts';
import { entryQuery, refreshPeople } from '../../api/entries.ts';
import { Field, TextArea } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { toast } from '../../ui/toast.tsx';
import type { AboutEntry } from './about-entry.ts';
import { MetadataMeanwhile } from './metadata-meanwhile.tsx';
import { type Meanwhile, type Metadata, rebase } from './metadata-merge.ts';
import { bodyWithMetadata, metadataIn } from './metadata-text.ts';

/** Metadata as JSON. The server checks its limits and names what breaks them. */
export function MetadataEditor({ scope, entry, onClose }: AboutEntry & { onClose: () => void }) {
  const client = useQueryClient();
  /** What the text was made from. */
  const [base, setBase] = useState<Metadata>(entry.metadata ?? {});
  const [text, setText] = useState(() => textOf(base));
  const [meanwhile, setMeanwhile] = useState<Meanwhile>();
  const save = async () => {
    const draft = metadataIn(text);
    const latest = await client.fetchQuery({ ...entryQuery(scope, entry.id), staleTime: 0 });
    const theirs = latest.metadata ?? {};
    const merged = rebase(base, draft, theirs);
    if (merged) {
      setBase(theirs);
      setText(textOf(merged.metadata));
      setMeanwhile(merged.meanwhile);
      return;
    }
    await call(
      api.PATCH('/admin/v1/waitlists/{waitlistId}/entries/{entryId}', {
        params: {
          path: { waitlistId: scope.waitlistId, entryId: entry.id },
          query: { environment: scope.environment },
        },
        body: { metadata: draft },
        bodySerializer: () => bodyWithMetadata({}, Object.keys(draft).length === 0 ? 'null' : text),
      }),
    );
    await refreshPeople(client, scope);
    toast('Saved metadata');
    onClose();
  };
  const discard = () => {
    setText(textOf(base));
    setMeanwhile(undefined);
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
        <>
          {meanwhile && <MetadataMeanwhile meanwhile={meanwhile} onDiscard={discard} />}
          <Field label="Metadata" name="metadata" hideLabel error={problem('metadata')}>
            <TextArea
              rows={14}
              value={text}
              onChange={(event) => setText(event.target.value)}
              spellCheck={false}
              className="font-mono text-sm"
            />
          </Field>
        </>
      )}
    </FormDialog>
  );
}

function textOf(metadata: Metadata): string {
  return JSON.stringify(metadata, null, 2);
}
