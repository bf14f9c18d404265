import { mailEventKeys } from '../../../waitlist/mail-events/mail-event-keys.ts';
import {
  CreatedMailEventKeySchema,
  EXAMPLE_MAIL_EVENT_KEY,
  EXAMPLE_MAIL_EVENT_SECRET,
  MailEventKeySchema,
  presentCreatedMailEventKey,
} from '../../../wire/mail-event-key.ts';
import type { HookKeyKind } from './hook-keys.ts';

export const MAIL_EVENT_KEYS: HookKeyKind = {
  keys: mailEventKeys,
  called: 'mail event key',
  name: 'MailEventKey',
  schema: MailEventKeySchema,
  example: EXAMPLE_MAIL_EVENT_KEY,
  createdSchema: CreatedMailEventKeySchema,
  createdExample: {
    ...EXAMPLE_MAIL_EVENT_KEY,
    key: EXAMPLE_MAIL_EVENT_SECRET,
    url: `https://waitlist.example.com/mail-events/v1/${EXAMPLE_MAIL_EVENT_SECRET}`,
  },
  presentCreated: presentCreatedMailEventKey,
  secret: {
    maxLength: 300,
    description: 'The signing secret of Resend or Mailgun, or the verification key of SendGrid.',
    refusal: 'must be the signing secret or the verification key that the provider shows',
  },
  creation:
    'Creates a key for `POST /mail-events/v1/{key}`, with which your mail provider reports bounces and complaints, and returns it, this once.',
  deletion: 'what the provider reports with it is refused.',
  requests: {
    plain: { summary: 'For your own backend, Amazon SES or Postmark', value: { name: 'Amazon SES' } },
    signed: {
      summary: 'For Resend',
      value: { name: 'Resend', secret: 'whsec_YW4gZXhhbXBsZSBzZWNyZXQsIG5vdCBhIHJlYWwgb25l' },
    },
  },
};
