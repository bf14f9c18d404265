import Type, { type Static, type TProperties } from 'typebox';
import { LANGUAGES, type Language } from '../../languages/languages.ts';
import { EMAIL_MAX_CHARACTERS } from '../../lib/email.ts';
import { mailWarnings } from '../../mail/mailable.ts';
import { MAIL_KINDS } from '../../mail/templates/kinds.ts';
import { URL_CHARACTERS_MAX } from '../../mail/templates/settings.ts';
import { showMailSettings, updateMailSettings } from '../../mail/update-settings.ts';
import { REMINDER_MS } from '../../waitlist/queue/queue-settings.ts';
import { pictureUrl } from '../../waitlist/settings/pictures.ts';
import { limits, named, nullable, oneOf, withExamples } from '../../wire/schema.ts';
import { WaitlistIdSchema } from '../../wire/waitlist.ts';
import { warnings } from '../core/mailable.ts';
import { operation } from '../core/operation.ts';
import type { OperationParts } from '../core/parts.ts';
import { closed } from '../core/schemas.ts';
import { tag } from './mail.ts';

const text = (description: string, keywords: object = {}) =>
  nullable<string>('string', { ...limits(keywords), description });

const URL = { maxLength: URL_CHARACTERS_MAX };

const SETTINGS = {
  kinds: Type.Array(oneOf(MAIL_KINDS, { description: 'A kind of email.' }), {
    ...limits({ maxItems: MAIL_KINDS.length }),
    description: 'Kinds of emails that are sent.',
  }),
  inviteReminderMs: Type.Integer({
    ...limits(REMINDER_MS),
    description: 'How long before an invite expires its reminder is sent, in milliseconds.',
  }),
  from: text("Sender address. `null`: the installation's.", {
    format: 'email',
    maxLength: EMAIL_MAX_CHARACTERS,
  }),
  fromName: text('Sender name. `null`: the name of the waitlist.', { maxLength: 100 }),
  replyTo: text('Address for replies. `null`: the sender.', {
    format: 'email',
    maxLength: EMAIL_MAX_CHARACTERS,
  }),
  joinUrl: text('Your page for invites, with `{code}` in the URL. `null`: the built-in page.', URL),
  confirmUrl: text(
    'Your page to confirm an email, with `{token}` in the URL. `null`: the built-in page.',
    URL,
  ),
  referralUrl: text(
    'Link that people share, with `{referralCode}` in the URL. `null`: the hosted page, if the form is on.',
    URL,
  ),
  colour: text('Color of buttons and links, such as `#0f766e`. `null`: the default.', { maxLength: 7 }),
  logoUrl: text(
    'Image for the header: an https URL, or the address of a logo that you uploaded. `null`: the name of the waitlist.',
    URL,
  ),
  footer: text('Text below every email. `null`: none.', { maxLength: 1000 }),
  language: Type.Unsafe<Language | null>({
    type: ['string', 'null'],
    enum: [...LANGUAGES, null],
    description: 'Language for people whose own is not known, and of your templates. `null`: English.',
  }),
};

export const UpdatedSettings = Type.Object(
  { waitlistId: WaitlistIdSchema, ...SETTINGS, warnings },
  { ...named('UpdatedMailSettings'), description: 'The email settings, and what they lead to.' },
);

const SettingsObject = Type.Object(
  { waitlistId: WaitlistIdSchema, ...SETTINGS },
  { ...named('MailSettings'), description: 'Which emails a waitlist sends, and how they look.' },
);

const optional = (properties: TProperties) =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, Type.Optional(schema)])) as {
    [Name in keyof typeof SETTINGS]: ReturnType<typeof Type.Optional<(typeof SETTINGS)[Name]>>;
  };

const SettingsChanges = Type.Object(optional(SETTINGS), {
  ...named('MailSettingsChanges'),
  ...closed,
  description: 'What to change. Everything else stays as it is. `null` restores a default.',
  ...withExamples({
    sender: {
      summary: 'Sender and kinds',
      value: { from: 'team@acme.example', kinds: ['confirm', 'welcome', 'invite'] },
    },
  }),
});

export const EXAMPLE_SETTINGS = {
  waitlistId: 'wl_acme',
  kinds: ['confirm', 'welcome', 'invite'],
  inviteReminderMs: 86_400_000,
  from: 'team@acme.example',
  fromName: null,
  replyTo: null,
  joinUrl: null,
  confirmUrl: null,
  referralUrl: 'https://acme.example/?ref={referralCode}',
  colour: '#7c3aed',
  logoUrl: null,
  footer: 'Acme Inc., 1 Example Street',
  language: null,
};

export const mailSettings = [
  operation({
    id: 'getMailSettings',
    at: 'GET /waitlists/:waitlistId/mail/settings',
    showsSettings: true,
    tag,
    summary: 'Get the email settings',
    description: 'Returns the email settings of a waitlist. They apply to all its environments.',
    role: 'support',
    scope: 'queue',
    answer: { description: 'The settings.', schema: SettingsObject, example: EXAMPLE_SETTINGS },
    run: ({ parts, params }) => presentSettings(parts, params.waitlistId),
  }),
  operation({
    id: 'updateMailSettings',
    at: 'PATCH /waitlists/:waitlistId/mail/settings',
    settings: { lock: 'installation' },
    tag,
    summary: 'Update the email settings',
    description: 'Changes only the given settings. Emails that were already recorded stay as they are.',
    role: 'admin',
    scope: 'queue',
    body: SettingsChanges,
    answer: {
      description: 'The settings as they are now.',
      schema: UpdatedSettings,
      example: { ...EXAMPLE_SETTINGS, warnings: [] },
    },
    errors: {
      invalid_request: { message: 'referralUrl: must be an http or https URL with {referralCode} in it' },
    },
    run: async ({ context, parts, params: { waitlistId }, body }) => {
      if (Object.keys(body).length > 0) await updateMailSettings(context, waitlistId, body);
      return presentUpdated(parts, waitlistId);
    },
  }),
];

async function presentSettings(
  { waitlists, publicUrl }: OperationParts,
  waitlistId: string,
): Promise<Static<typeof SettingsObject>> {
  const settings = await showMailSettings(waitlists, waitlistId);
  return { ...settings, logoUrl: pictureUrl(settings.logoUrl, publicUrl) };
}

export async function presentUpdated(
  parts: OperationParts,
  waitlistId: string,
): Promise<Static<typeof UpdatedSettings>> {
  const warned = await mailWarnings(parts.waitlists, waitlistId, parts.emails.smtp);
  return { ...(await presentSettings(parts, waitlistId)), warnings: warned };
}
