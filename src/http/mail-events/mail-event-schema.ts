import Type from 'typebox';
import { MAIL_PROVIDERS } from '../../waitlist/mail-events/providers.ts';
import { EXAMPLE_MAIL_EVENT_SECRET } from '../../wire/keys.ts';
import { limits, named, oneOf, orOf, WORD, withExamples } from '../../wire/schema.ts';
import { errorResponses, okResponse } from '../responses.ts';
import { EVENTS_MAX, PROVIDER_REPORTS } from './provider-reports.ts';

const TEXT_CHARACTERS_MAX = 2_000;

export const KEY_NEEDED =
  'a valid mail event key is required: use the URL that was shown when the key was created';

const MailEventSchema = Type.Object(
  {
    type: oneOf(['bounce', 'complaint'] as const, {
      description: '`complaint`: the person reported an email as spam.',
    }),
    email: Type.String({
      ...limits({ maxLength: TEXT_CHARACTERS_MAX }),
      description: 'The address that the email was sent to. Not case-sensitive.',
      examples: ['ada@example.com'],
    }),
    permanent: Type.Optional(
      Type.Boolean({
        description:
          'Of a bounce: `false` if the address may work later, such as a full mailbox. `true` unless given.',
      }),
    ),
    detail: Type.Optional(
      Type.String({
        ...limits({ maxLength: TEXT_CHARACTERS_MAX }),
        description: 'What the mail server said. It is not stored.',
      }),
    ),
  },
  { ...named('MailEvent'), description: 'What became of an email.', additionalProperties: false },
);

const MailEventsRequest = Type.Object(
  {
    events: Type.Array(MailEventSchema, {
      ...limits({ maxItems: EVENTS_MAX }),
      description: 'In any order. The same event twice changes nothing.',
    }),
  },
  {
    ...named('MailEventsRequest'),
    description: 'Bounces and complaints.',
    additionalProperties: false,
    ...orOf(
      'MailEventsBody',
      'Bounces and complaints, in the words of the provider of the key.',
      PROVIDER_REPORTS,
    ),
    ...withExamples({
      bounce: {
        summary: 'An address does not exist',
        value: { events: [{ type: 'bounce', email: 'ada@example.com', detail: '550 5.1.1 no such user' }] },
      },
      complaint: {
        summary: 'A person reported an email as spam',
        value: { events: [{ type: 'complaint', email: 'ada@example.com' }] },
      },
    }),
  },
);

const MailEventsAccepted = Type.Object(
  {
    accepted: Type.Integer({
      ...limits({ minimum: 0, maximum: EVENTS_MAX }),
      description:
        'How many bounces and complaints were understood, whether or not the address is known. 0 for a signed report that counted before.',
    }),
  },
  { ...named('MailEventsAccepted'), description: 'What was understood.' },
);

export const mailEventsSchema = {
  operationId: 'reportMailEvents',
  tags: ['Mail events'],
  summary: 'Report bounces and complaints',
  description:
    'Tells what became of emails after the mail server had accepted them. An address that bounced gets no more emails. After a bounce that ' +
    'is not permanent, it gets emails until it has bounced on 3 days within 14 days. A person who complained is unsubscribed. ' +
    'The key in the path is the credential: give the URL to your mail provider or call it from your backend. A key is made for one ' +
    'provider and takes only its reports. A signed report counts once, and for an hour after it was signed; one of Mailgun, for a day.',
  security: [],
  params: Type.Object({
    key: Type.String({
      ...WORD,
      description: 'A mail event key. It decides the waitlist and the environment.',
      examples: [EXAMPLE_MAIL_EVENT_SECRET],
    }),
  }),
  querystring: Type.Object({
    shape: Type.Optional(
      oneOf(MAIL_PROVIDERS, {
        description:
          'Whose body it is. Not needed: the key says so. Another than that of the key is refused.',
        examples: ['plain'],
      }),
    ),
  }),
  body: MailEventsRequest,
  response: {
    200: okResponse({
      description: 'The events were recorded.',
      schema: MailEventsAccepted,
      examples: { accepted: { summary: 'One event', value: { accepted: 1 } } },
    }),
    ...errorResponses(
      ['invalid_request', 'unauthorized', 'payload_too_large', 'unsupported_media_type', 'rate_limited'],
      {
        invalid_request: {
          when: 'The body or `shape` is malformed, or the key is for another provider.',
          message: 'events: is required',
        },
        unauthorized: {
          when: 'The mail event key is unknown or was deleted, or the signature of the provider is wrong or too old.',
          message: KEY_NEEDED,
        },
      },
    ),
  },
};
