import { EVENT_KINDS, type EventKind } from '../../events/event.ts';
import { EXAMPLE_ENTRY, EXAMPLE_WAITLIST } from '../schemas.ts';
import type { Parameter, Schema, WebhookOperation } from './document.ts';

const ENTRY: Schema = {
  $ref: '#/components/schemas/Entry',
  description: 'The entry as it was right after the change.',
};
const ENTRY_OR_NULL: Schema = {
  description: 'The invited entry; null when the email is not on the list.',
  oneOf: [{ $ref: '#/components/schemas/Entry' }, { type: 'null' }],
};
const INVITE: Schema = {
  type: 'object',
  description: 'The invite, without its code.',
  required: ['id', 'email', 'expiresAt'],
  properties: {
    id: { type: 'string', description: 'Starts with `inv_`.' },
    email: { type: 'string', description: 'Who was invited.' },
    expiresAt: {
      type: ['string', 'null'],
      format: 'date-time',
      description: 'When it ends; null for never.',
    },
  },
};
const EXAMPLE_INVITE = { id: 'inv_06gxx2p9r1yn1vp1ryss481fhw', email: 'ada@example.com', expiresAt: null };

interface Told {
  when: string;
  data: Record<string, Schema>;
  example: object;
}

const invite = (when: string): Told => ({
  when,
  data: { invite: INVITE, entry: ENTRY_OR_NULL },
  example: { invite: EXAMPLE_INVITE, entry: null },
});
const entry = (when: string): Told => ({ when, data: { entry: ENTRY }, example: { entry: EXAMPLE_ENTRY } });
const ID: Schema = { type: 'string', description: 'Starts with `ent_`.' };

const TOLD: Record<EventKind, Told> = {
  'signup.created': entry('An entry was added.'),
  'signup.confirmed': entry('A pending entry confirmed its email.'),
  'referral.credited': {
    when: 'An entry gained a referral.',
    data: { entry: ENTRY, referred: { ...ID, description: 'Who was referred. Starts with `ent_`.' } },
    example: { entry: EXAMPLE_ENTRY, referred: 'ent_06gxx2p9r1yn1vp1ryss481fhw' },
  },
  'invite.sent': invite('An operator invited somebody.'),
  'invite.accepted': invite('An invite was accepted.'),
  'invite.revoked': invite('An invite was revoked.'),
  'invite.expired': invite('An invite passed its expiry.'),
  'entry.removed': {
    when: 'An entry was taken off and erased.',
    data: {
      entry: { type: 'object', description: 'What is left of it.', required: ['id'], properties: { id: ID } },
    },
    example: { entry: { id: EXAMPLE_ENTRY.id } },
  },
};

const HEADERS = [
  ['wh-id', 'The id of the event; the same at each attempt.'],
  ['wh-timestamp', 'Seconds since 1970; fresh for each attempt.'],
  ['wh-signature', 'Signatures starting with `v1,`, separated by spaces.'],
].map(
  ([name = '', description = '']): Parameter => ({
    name,
    in: 'header',
    required: true,
    description: `${description} Sent as \`${name.replace('wh-', 'webhook-')}\` too.`,
    schema: { type: 'string' },
  }),
);

/** What the service sends: the `webhooks` of the OpenAPI document. */
export function webhookOperations(): Record<string, { post: WebhookOperation }> {
  return Object.fromEntries(EVENT_KINDS.map((kind) => [kind, { post: operationFor(kind, TOLD[kind]) }]));
}

function operationFor(kind: EventKind, { when, data, example }: Told): WebhookOperation {
  const name = kind.replace(/\.([a-z])/, (_, letter: string) => letter.toUpperCase());
  return {
    operationId: `${name}Event`,
    tags: ['Webhooks'],
    summary: when.replace(/\.$/, ''),
    description: `${when} Signed by the Standard Webhooks scheme and sent until a 2xx comes back, over three days.`,
    security: [],
    parameters: HEADERS,
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: bodySchema(kind, data),
          examples: { event: { summary: when, value: exampleBody(kind, example) } },
        },
      },
    },
    responses: {
      '2XX': { description: 'Taken. Any other answer is tried again later.' },
      '410': { description: 'No longer wanted: the endpoint is disabled.' },
    },
  };
}

function bodySchema(kind: EventKind, data: Record<string, Schema>): Schema {
  return {
    type: 'object',
    required: ['event', 'id', 'timestamp', 'environment', 'waitlist', 'data'],
    properties: {
      event: { type: 'string', enum: [kind], description: 'What happened.' },
      id: { type: 'string', description: 'Starts with `evt_`; act on each only once.' },
      timestamp: { type: 'string', format: 'date-time', description: 'When it happened.' },
      environment: { type: 'string', description: 'The environment it happened in.' },
      waitlist: { $ref: '#/components/schemas/WaitlistReference', description: 'Where it happened.' },
      data: {
        type: 'object',
        description: 'What it is about.',
        required: Object.keys(data),
        properties: data,
      },
    },
  };
}

function exampleBody(kind: EventKind, data: object): object {
  return {
    event: kind,
    id: 'evt_06gxx2p9r1yn1vp1ryss481fhw',
    timestamp: '2026-11-15T09:30:00.000Z',
    environment: 'production',
    waitlist: EXAMPLE_WAITLIST,
    data,
  };
}
