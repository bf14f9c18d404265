import Type from 'typebox';
import { gateKeys } from '../../waitlist/keys/hook-keys.ts';
import { mailEventKeys } from '../../waitlist/mail-events/mail-event-keys.ts';
import { MAIL_PROVIDERS } from '../../waitlist/mail-events/providers.ts';
import {
  CreatedGateKeySchema,
  CreatedMailEventKeySchema,
  EXAMPLE_GATE_KEY,
  EXAMPLE_GATE_SECRET,
  EXAMPLE_MAIL_EVENT_KEY,
  EXAMPLE_MAIL_EVENT_SECRET,
  GateKeySchema,
  MailEventKeySchema,
  presentCreatedGateKey,
  presentCreatedMailEventKey,
  presentHookKey,
  presentMailEventKey,
} from '../../wire/keys.ts';
import { limits, nullable, oneOf } from '../../wire/schema.ts';
import { hookKeyOperations } from './hook-keys.ts';

export const gateKeyOperations = hookKeyOperations({
  keys: gateKeys,
  called: 'gate key',
  name: 'GateKey',
  schema: GateKeySchema,
  example: EXAMPLE_GATE_KEY,
  createdSchema: CreatedGateKeySchema,
  createdExample: {
    ...EXAMPLE_GATE_KEY,
    key: EXAMPLE_GATE_SECRET,
    url: `https://waitlist.example.com/gate/v1/${EXAMPLE_GATE_SECRET}`,
  },
  present: presentHookKey,
  presentCreated: presentCreatedGateKey,
  secret: {
    maxLength: 200,
    description: 'The secret that the provider signs its requests with, for Supabase and WorkOS.',
    refusal: 'must be the secret that the provider shows',
  },
  creation:
    'Creates a key for `POST /gate/v1/{gateKey}`, which lets only invited people sign up to your product, and returns it, this once.',
  deletion: 'with it, nobody can sign up any more.',
  requests: {
    plain: { summary: 'For your own backend, Auth0 or Kinde', value: { name: 'Backend' } },
    signed: {
      summary: 'For Supabase',
      value: { name: 'Supabase', secret: 'v1,whsec_YW4gZXhhbXBsZSBzZWNyZXQsIG5vdCBhIHJlYWwgb25l' },
    },
  },
});

const TOPIC_CHARACTERS_MAX = 400;
const topic = Type.Optional(
  nullable<string>('string', {
    ...limits({ maxLength: TOPIC_CHARACTERS_MAX }),
    description:
      'Of `ses`: the ARN of the topic of Amazon SNS whose messages it takes. `null`: that of the first subscription that is confirmed.',
  }),
);

export const mailEventKeyOperations = hookKeyOperations({
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
});
