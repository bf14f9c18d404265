import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { MAX } from '../../api/limits.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { Card } from '../../ui/card.tsx';
import { ColorField } from '../../ui/color-field.tsx';
import { draftsOf, lineOrNull, number } from '../../ui/drafts.ts';
import { durationInWords } from '../../ui/duration.ts';
import { Field, Input, TextArea } from '../../ui/field.tsx';
import { SaveForm } from '../../ui/save-form.tsx';
import { Select } from '../../ui/select.tsx';
import { choiceWords, type Labels, useSettings } from '../../ui/use-settings.ts';
import { LANGUAGE_OPTIONS } from './mail-names.ts';
import { type MailSettings, mailSettingsQuery, updateMailSettings } from './mails.ts';

const TEXTS = {
  from: lineOrNull,
  fromName: lineOrNull,
  replyTo: lineOrNull,
  joinUrl: lineOrNull,
  confirmUrl: lineOrNull,
  referralUrl: lineOrNull,
  colour: lineOrNull,
  logoUrl: lineOrNull,
  footer: lineOrNull,
};
type TextSetting = keyof typeof TEXTS;

/** An empty text restores the default. */
const { draftOf, changesOf } = draftsOf({
  ...TEXTS,
  language: {
    show: (language: MailSettings['language']): string => language ?? 'en',
    read: (language: string) => language as MailSettings['language'],
  },
  inviteReminderMs: number,
});

const LABELS: Labels<ReturnType<typeof draftOf>> = {
  from: 'From',
  fromName: 'Name',
  replyTo: 'Reply to',
  joinUrl: 'Page for invites',
  confirmUrl: 'Page to confirm an email',
  referralUrl: 'Link that people share',
  colour: 'Color',
  logoUrl: 'Logo',
  footer: 'Footer',
  language: { label: 'Language', words: choiceWords(() => LANGUAGE_OPTIONS) },
  inviteReminderMs: { label: 'Invite reminder', words: choiceWords(reminderOptions) },
};

interface MailSettingsFormProps {
  scope: Scope;
  settings: MailSettings;
  defaultFrom: string;
  readOnly: boolean;
  onSaved: () => Promise<unknown>;
}

export function MailSettingsForm({ scope, settings, defaultFrom, readOnly, onSaved }: MailSettingsFormProps) {
  const client = useQueryClient();
  const { draft, set, problem, form } = useSettings({
    saved: settings,
    draftOf,
    changesOf,
    save: async (changes, { etag }) => {
      const saved = await updateMailSettings(scope, changes, etag);
      await onSaved();
      return saved;
    },
    others: {
      labels: LABELS,
      reload: () => client.fetchQuery({ ...mailSettingsQuery(scope), staleTime: 0 }),
    },
  });
  const field = (name: TextSetting, label: string, help: ReactNode, input: object = {}) => (
    <Field label={label} help={help} error={problem(name)}>
      <Input
        autoComplete="off"
        spellCheck={false}
        disabled={readOnly}
        value={draft[name]}
        onChange={(event) => set({ [name]: event.target.value })}
        {...input}
      />
    </Field>
  );
  return (
    <SaveForm {...form}>
      <Card title="Sender" about="These settings apply in every environment.">
        <div className="grid gap-5 md:grid-cols-2">
          {field('fromName', 'Name', 'Empty: the name of the waitlist.', {
            maxLength: MAX.MailSettingsChanges.fromName,
          })}
          {field('from', 'From', 'Your mail server must be allowed to send from it.', {
            type: 'email',
            placeholder: defaultFrom,
          })}
          {field('replyTo', 'Reply to', 'Empty: replies go to the sender.', { type: 'email' })}
        </div>
      </Card>
      <Card title="Look">
        <div className="grid gap-5 md:grid-cols-2">
          <ColorField
            value={draft.colour}
            onChange={(colour) => set({ colour })}
            help="Of buttons and links."
            error={problem('colour')}
            disabled={readOnly}
          />
          {field(
            'logoUrl',
            'Logo',
            'An https image, 36 pixels high, or upload one under Form. Empty: the name of the waitlist.',
            {
              type: 'url',
              placeholder: 'https://example.com/logo.png',
            },
          )}
          <Field
            label="Footer"
            help="Below every email. Many countries ask for your name and address."
            error={problem('footer')}
            className="md:col-span-2"
          >
            <TextArea
              rows={2}
              maxLength={MAX.MailSettingsChanges.footer}
              disabled={readOnly}
              value={draft.footer}
              onChange={(event) => set({ footer: event.target.value })}
            />
          </Field>
        </div>
      </Card>
      <Card title="Links" about="Leave them empty to use the pages that come with Doorlist.">
        <div className="flex flex-col gap-5">
          {field('joinUrl', 'Page for invites', <Holds name="{code}" />, {
            placeholder: 'https://example.com/join/{code}',
          })}
          {field('confirmUrl', 'Page to confirm an email', <Holds name="{token}" />, {
            placeholder: 'https://example.com/confirm/{token}',
          })}
          {field('referralUrl', 'Link that people share', <Holds name="{referralCode}" />, {
            placeholder: 'https://example.com/?ref={referralCode}',
          })}
        </div>
      </Card>
      <Card title="Sending">
        <div className="grid gap-5 md:grid-cols-2">
          <Field label="Language" help="For people whose language is not known." error={problem('language')}>
            <Select
              label="Language"
              disabled={readOnly}
              value={draft.language}
              options={LANGUAGE_OPTIONS}
              onChange={(language) => set({ language })}
            />
          </Field>
          <Field
            label="Invite reminder"
            help="How long before an invite expires, if the reminder is on."
            error={problem('inviteReminderMs')}
          >
            <Select
              label="Invite reminder"
              disabled={readOnly}
              value={draft.inviteReminderMs}
              options={reminderOptions(String(settings.inviteReminderMs))}
              onChange={(inviteReminderMs) => set({ inviteReminderMs })}
            />
          </Field>
        </div>
      </Card>
    </SaveForm>
  );
}

const HOUR_MS = 3_600_000;
const REMINDERS = [
  { value: String(HOUR_MS), label: '1 hour before' },
  { value: String(12 * HOUR_MS), label: '12 hours before' },
  { value: String(24 * HOUR_MS), label: '1 day before' },
  { value: String(48 * HOUR_MS), label: '2 days before' },
  { value: String(72 * HOUR_MS), label: '3 days before' },
  { value: String(7 * 24 * HOUR_MS), label: '7 days before' },
];

/** Another value than the usual ones was set over the API: it stays a choice. */
function reminderOptions(current: string): readonly { value: string; label: string }[] {
  if (REMINDERS.some(({ value }) => value === current)) return REMINDERS;
  return [...REMINDERS, { value: current, label: `${durationInWords(Number(current))} before` }];
}

function Holds({ name }: { name: string }) {
  return (
    <>
      With <code className="font-mono">{name}</code> in it.
    </>
  );
}
