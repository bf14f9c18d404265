import type { Schemas } from '../../api/client.ts';
import { Card } from '../../ui/card.tsx';
import { Switch } from '../../ui/checkbox.tsx';
import { Field, Input, TextArea } from '../../ui/field.tsx';
import { FieldsEditor } from './fields-editor.tsx';
import type { Draft } from './form-draft.ts';

/** What each card of the settings gets. */
export interface SettingsCardProps {
  draft: Draft;
  set: (part: Partial<Draft>) => void;
  /** What the API said about a field. */
  problem: (path: string) => string | undefined;
}

interface TextsCardProps extends SettingsCardProps {
  /** What stands there while a text is empty. */
  defaults: Schemas['FormPreview']['defaults'] | undefined;
}

export function TextsCard({ draft, set, problem, defaults }: TextsCardProps) {
  return (
    <Card title="Texts" about="What people read on the form and its page.">
      <div className="flex max-w-lg flex-col gap-5">
        <Field label="Headline" error={problem('headline')}>
          <Input
            maxLength={200}
            placeholder={defaults?.headline}
            value={draft.headline}
            onChange={({ target: { value } }) => set({ headline: value })}
          />
        </Field>
        <Field label="Text" error={problem('text')}>
          <TextArea
            rows={3}
            maxLength={2000}
            placeholder={defaults?.text}
            value={draft.text}
            onChange={({ target: { value } }) => set({ text: value })}
          />
        </Field>
        <Field label="Button" error={problem('buttonText')}>
          <Input
            maxLength={60}
            placeholder={defaults?.buttonText}
            value={draft.buttonText}
            onChange={({ target: { value } }) => set({ buttonText: value })}
          />
        </Field>
      </div>
    </Card>
  );
}

export function FieldsCard({ draft, set, problem }: SettingsCardProps) {
  return (
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
  );
}

export function ConsentCard({ draft, set, problem }: SettingsCardProps) {
  return (
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
  );
}

export function SharingCard({ draft, set, problem }: SettingsCardProps) {
  return (
    <Card title="Sharing" about="What social networks and chats show beside a link to your page.">
      <Field
        label="Picture"
        help="An https address, best 1200 by 630 pixels. Empty: the logo."
        error={problem('shareImageUrl')}
        className="max-w-lg"
      >
        <Input
          type="url"
          placeholder="https://example.com/share.png"
          value={draft.shareImageUrl}
          onChange={({ target: { value } }) => set({ shareImageUrl: value })}
        />
      </Field>
    </Card>
  );
}

export function DestinationsCard({ draft, set, problem }: SettingsCardProps) {
  return (
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
          help="Where the join page leads: to your product. Without it, people are told whom to ask."
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
  );
}
