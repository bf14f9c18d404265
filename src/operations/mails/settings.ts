import Type, { type Static } from 'typebox';
import { mailWarnings } from '../../mail/mailable.ts';
import { MAIL_SETTINGS, SENDING_SETTINGS } from '../../mail/templates/settings.ts';
import { showMailSettings, updateMailSettings } from '../../mail/update-settings.ts';
import { pictureUrl } from '../../waitlist/settings/pictures.ts';
import { named, withExamples } from '../../wire/schema.ts';
import { settingSchemas } from '../../wire/settings.ts';
import { WaitlistIdSchema } from '../../wire/waitlist.ts';
import { warnings } from '../core/mailable.ts';
import { operation } from '../core/operation.ts';
import type { OperationParts } from '../core/parts.ts';
import { closed } from '../core/schemas.ts';
import { tag } from './mail.ts';

const SETTINGS = { ...settingSchemas(SENDING_SETTINGS), ...settingSchemas(MAIL_SETTINGS) };

export const UpdatedSettings = Type.Object(
  { waitlistId: WaitlistIdSchema, ...SETTINGS, warnings },
  { ...named('UpdatedMailSettings'), description: 'The email settings, and what they lead to.' },
);

const SettingsObject = Type.Object(
  { waitlistId: WaitlistIdSchema, ...SETTINGS },
  { ...named('MailSettings'), description: 'Which emails a waitlist sends, and how they look.' },
);

const SettingsChanges = Type.Partial(Type.Object(SETTINGS), {
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
