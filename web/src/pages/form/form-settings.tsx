import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { Card } from '../../ui/card.tsx';
import { Switch } from '../../ui/checkbox.tsx';
import { Field, Input, TextArea } from '../../ui/field.tsx';
import { SaveForm } from '../../ui/save-form.tsx';
import { useSettings } from '../../ui/use-settings.ts';
import { changesOf, draftOf, linesOf } from './draft.ts';
import { FieldsEditor } from './fields-editor.tsx';
import { type Form, formQuery, updateForm } from './form-query.ts';
import { ProtectionCard } from './protection-card.tsx';

/** A blocked site may be allowed above the form while it is being edited. */
function useAllowedElsewhere(allowed: readonly string[], onAdded: (origins: string[]) => void): void {
  const known = useRef(allowed);
  useEffect(() => {
    const added = allowed.filter((origin) => !known.current.includes(origin));
    known.current = allowed;
    if (added.length > 0) onAdded(added);
  });
}

/** Everything about the form that an admin can set, except whether it is on. */
export function FormSettings({ form, scope }: { form: Form; scope: Scope }) {
  const client = useQueryClient();
  const {
    draft,
    set,
    problem,
    form: saving,
  } = useSettings({
    saved: form,
    draftOf,
    changesOf,
    save: async (changes) => {
      const saved = await updateForm(scope, changes);
      client.setQueryData(formQuery(scope).queryKey, saved);
      return saved;
    },
  });
  useAllowedElsewhere(form.allowedOrigins, (added) => {
    const lines = linesOf(draft.origins);
    set({ origins: [...lines, ...added.filter((origin) => !lines.includes(origin))].join('\n') });
  });
  const originProblem = linesOf(draft.origins)
    .map((origin, index) => {
      const text = problem(`allowedOrigins[${index}]`);
      return text && `${origin}: ${text}`;
    })
    .filter((text) => text !== undefined)
    .join(' ');
  const cards = (
    <>
      <Card title="Texts" about="What people read on the form and its page.">
        <div className="flex max-w-lg flex-col gap-5">
          <Field label="Headline" error={problem('headline')}>
            <Input
              maxLength={200}
              placeholder="The name of the waitlist"
              value={draft.headline}
              onChange={({ target: { value } }) => set({ headline: value })}
            />
          </Field>
          <Field label="Text" error={problem('text')}>
            <TextArea
              rows={3}
              maxLength={2000}
              placeholder="Be the first to try it."
              value={draft.text}
              onChange={({ target: { value } }) => set({ text: value })}
            />
          </Field>
          <Field label="Button" error={problem('buttonText')}>
            <Input
              maxLength={60}
              placeholder="Join the waitlist"
              value={draft.buttonText}
              onChange={({ target: { value } }) => set({ buttonText: value })}
            />
          </Field>
        </div>
      </Card>
      <Card title="Fields" about="The form always asks for an email. The answers become metadata.">
        <FieldsEditor fields={draft.fields} onChange={(fields) => set({ fields })} problem={problem} />
        {problem('fields') && <p className="mt-3 text-sm text-danger">{problem('fields')}</p>}
        <div className="mt-5 max-w-lg border-t pt-5">
          <Switch
            label="Keep campaign parameters"
            help="Stores utm_source and the other utm_… parameters of the address as metadata."
            checked={draft.utm}
            onChange={(utm) => set({ utm })}
          />
        </div>
      </Card>
      <Card title="Consent">
        <div className="flex max-w-lg flex-col gap-5">
          <Switch
            label="Ask for consent"
            help="A box that people must check. The version and the time are stored with the entry."
            checked={draft.asksConsent}
            onChange={(asksConsent) => set({ asksConsent })}
          />
          {draft.asksConsent && (
            <>
              <Field label="Text of the consent" error={problem('consent.text')}>
                <TextArea
                  required
                  rows={3}
                  maxLength={2000}
                  placeholder="Send me news about the launch."
                  value={draft.consentText}
                  onChange={({ target: { value } }) => set({ consentText: value })}
                />
              </Field>
              <Field
                label="Version"
                help="Change it when the text changes, to know who agreed to which."
                error={problem('consent.version')}
              >
                <Input
                  required
                  maxLength={40}
                  value={draft.consentVersion}
                  onChange={({ target: { value } }) => set({ consentVersion: value })}
                />
              </Field>
            </>
          )}
        </div>
      </Card>
      <ProtectionCard
        form={form}
        draft={draft}
        set={set}
        problem={problem}
        originProblem={originProblem === '' ? problem('allowedOrigins') : originProblem}
      />
      <Card title="Where people go">
        <div className="flex max-w-lg flex-col gap-5">
          <Field
            label="After joining"
            help="Leave it empty to show them their position."
            error={problem('redirectUrl')}
          >
            <Input
              type="url"
              placeholder="https://example.com/thanks"
              value={draft.redirectUrl}
              onChange={({ target: { value } }) => set({ redirectUrl: value })}
            />
          </Field>
          <Field
            label="After accepting an invite"
            help="Where the join page leads. Leave it empty to stay there."
            error={problem('acceptedUrl')}
          >
            <Input
              type="url"
              placeholder="https://app.example.com/welcome"
              value={draft.acceptedUrl}
              onChange={({ target: { value } }) => set({ acceptedUrl: value })}
            />
          </Field>
        </div>
      </Card>
    </>
  );
  return <SaveForm {...saving}>{cards}</SaveForm>;
}
