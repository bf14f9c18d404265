import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { Card } from '../../ui/card.tsx';
import { Field, TextArea } from '../../ui/field.tsx';
import { SaveForm } from '../../ui/save-form.tsx';
import { useSettings } from '../../ui/use-settings.ts';
import { linesOf } from './form-draft.ts';
import { type Form, type FormChanges, formQuery, updateForm } from './form-query.ts';

const draftOf = ({ allowedOrigins }: Form) => allowedOrigins.join('\n');
const originsIn = (draft: string) => linesOf(draft).map((origin) => origin.replace(/\/$/, ''));

function changesOf({ allowedOrigins }: Form, { origins }: { origins: string }): FormChanges {
  const wanted = originsIn(origins);
  return wanted.join('\n') === allowedOrigins.join('\n') ? {} : { allowedOrigins: wanted };
}

/** A blocked site may be allowed above while this is being edited. */
function useAllowedElsewhere(allowed: readonly string[], onAdded: (origins: string[]) => void): void {
  const known = useRef(allowed);
  useEffect(() => {
    const added = allowed.filter((origin) => !known.current.includes(origin));
    known.current = allowed;
    if (added.length > 0) onAdded(added);
  });
}

/** Which sites may show the form. */
export function OriginsCard({ form, scope }: { form: Form; scope: Scope }) {
  const client = useQueryClient();
  const {
    draft,
    set,
    problem,
    form: saving,
  } = useSettings({
    saved: form,
    draftOf: (saved) => ({ origins: draftOf(saved) }),
    changesOf,
    save: async (changes, { etag }) => {
      const saved = await updateForm(scope, changes, etag);
      client.setQueryData(formQuery(scope).queryKey, saved);
      return saved;
    },
    others: {
      labels: { origins: 'Allowed origins' },
      reload: () => client.fetchQuery({ ...formQuery(scope), staleTime: 0 }),
    },
  });
  useAllowedElsewhere(form.allowedOrigins, (added) => {
    const lines = linesOf(draft.origins);
    set({ origins: [...lines, ...added.filter((origin) => !lines.includes(origin))].join('\n') });
  });
  const wrong = linesOf(draft.origins).flatMap((origin, index) => {
    const text = problem(`allowedOrigins[${index}]`);
    return text === undefined ? [] : [`${origin}: ${text}`];
  });
  return (
    <SaveForm {...saving} of="environment">
      <Card title="Your sites">
        <Field
          label="Allowed origins"
          help="Sites that may contain the form, one per line. The hosted page needs none."
          error={wrong.length > 0 ? wrong.join(' ') : problem('allowedOrigins')}
          className="max-w-lg"
        >
          <TextArea
            rows={3}
            spellCheck={false}
            className="font-mono text-sm"
            placeholder="https://example.com"
            value={draft.origins}
            onChange={({ target: { value } }) => set({ origins: value })}
          />
        </Field>
      </Card>
    </SaveForm>
  );
}
