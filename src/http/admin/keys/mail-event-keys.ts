import Type from 'typebox';
import { mailEventKeys } from '../../../waitlist/mail-events/mail-event-keys.ts';
import { MAIL_PROVIDERS } from '../../../waitlist/mail-events/providers.ts';
import {
  CreatedMailEventKeySchema,
  EXAMPLE_MAIL_EVENT_KEY,
  EXAMPLE_MAIL_EVENT_SECRET,
  MailEventKeySchema,
  presentCreatedMailEventKey,
  presentMailEventKey,
} from '../../../wire/hook-keys.ts';
import { limits, nullable, oneOf } from '../../../wire/schema.ts';
import type { HookKeyKind } from './hook-keys.ts';

const TOPIC_CHARACTERS_MAX = 400;
const topic = Type.Optional(
  nullable<string>('string', {
    ...limits({ maxLength: TOPIC_CHARACTERS_MAX }),
    description:
      'Of `ses`: the ARN of the topic of Amazon SNS whose messages it takes. `null`: that of the first subscription that is confirmed.',
  }),
);

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
  fields: {
    create: {
      provider: oneOf(MAIL_PROVIDERS, {
        description: 'Whose reports the key takes. `plain` for your own code. It cannot be changed.',
      }),
      topic,
    },
    change: { topic },
  },
  present: presentMailEventKey,
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
    plain: { summary: 'For Amazon SES', value: { name: 'Amazon SES', provider: 'ses' } },
    signed: {
      summary: 'For Resend',
      value: {
        name: 'Resend',
        provider: 'resend',
        secret: 'whsec_YW4gZXhhbXBsZSBzZWNyZXQsIG5vdCBhIHJlYWwgb25l',
      },
    },
  },
};
