import Type from 'typebox';
import { nextCursorSchema } from '../../../operations/core/pages.ts';
import { HEALTH_COUNT_MAX } from '../../../outbox/delivery-health.ts';
import { EVENT_KINDS } from '../../../waitlist/queue/events.ts';
import { HEADER_VALUE_CHARACTERS_MAX, HEADERS_MAX, RATE_MAX } from '../../../webhooks/endpoint-input.ts';
import { DELIVERY_STATES } from '../../../webhooks/list-deliveries.ts';
import { idPattern, limits, named, nullable, oneOf, time, timeOrNull, WORD } from '../../../wire/schema.ts';
import { WaitlistIdSchema } from '../../../wire/waitlist.ts';
import { waitlistParams } from '../core/waitlist-scope.ts';

const EXAMPLE_ID = 'whe_06gxx2p9r1yn1vp1ryss481fhw';
const EXAMPLE_EVENT_ID = 'evt_06gxx2p9r1yn1vp1ryss481fhw';
export const EXAMPLE_SECRET = 'whsec_YW4gZXhhbXBsZSBzZWNyZXQsIG5vdCBhIHJlYWwgb25l';

const ENDPOINT = {
  id: Type.String({ ...idPattern('whe'), description: 'Unique id of the endpoint.' }),
  waitlistId: WaitlistIdSchema,
  environment: Type.String({ description: 'Environment of the waitlist.' }),
  url: nullable<string>('string', {
    format: 'uri',
    description:
      'URL that events are sent to. Only its origin for `support`: path and query may contain a password. `null` if the stored ' +
      'settings are damaged. Then nothing is sent, and the endpoint can only be disabled and deleted.',
  }),
  description: Type.String({ description: 'What the endpoint is for.' }),
  events: Type.Array(Type.String({ description: 'A kind of event.' }), {
    description: 'Kinds of events that are sent. Empty: all of them.',
  }),
  headers: Type.Array(Type.String({ description: 'Name of a header.' }), {
    description: 'Names of additional headers. Their values are not shown.',
  }),
  rateLimit: nullable<number>('integer', {
    minimum: 1,
    maximum: RATE_MAX,
    description: 'Most deliveries per second. `null`: no limit.',
  }),
  enabled: Type.Boolean({ description: 'Whether deliveries are sent. If not, they are held.' }),
  disabledAt: timeOrNull('When the endpoint was disabled.'),
  disabledReason: nullable<string>('string', { description: 'Why the endpoint was disabled.' }),
  failingSince: timeOrNull('First failure since the last success. `null` while deliveries succeed.'),
  lastSuccessAt: timeOrNull('Last success, to the minute.'),
  recentlyFailed: Type.Integer({
    minimum: 0,
    maximum: HEALTH_COUNT_MAX,
    description: `Deliveries of events of the last 7 days that were given up. Counted up to ${HEALTH_COUNT_MAX}.`,
  }),
  createdAt: time('When the endpoint was created.'),
  updatedAt: time('When the endpoint was last changed.'),
};

export const EndpointObject = Type.Object(ENDPOINT, {
  ...named('WebhookEndpoint'),
  description: 'A URL that the events of a waitlist are sent to.',
});

export const EXAMPLE_ENDPOINT = {
  id: EXAMPLE_ID,
  waitlistId: 'wl_acme',
  environment: 'production',
  url: 'https://example.com/hooks/doorlist',
  description: 'CRM',
  events: ['signup.created'],
  headers: ['Authorization'],
  rateLimit: null,
  enabled: true,
  disabledAt: null,
  disabledReason: null,
  failingSince: null,
  lastSuccessAt: '2026-11-15T09:31:00.000Z',
  recentlyFailed: 0,
  createdAt: '2026-11-15T09:30:00.000Z',
  updatedAt: '2026-11-15T09:30:00.000Z',
};

const secret = Type.String({ description: 'Signing secret. Keep it safe.' });

export const CreatedEndpointObject = Type.Object(
  { ...ENDPOINT, secret },
  {
    ...named('CreatedWebhookEndpoint'),
    description: 'An endpoint and its signing secret, which is shown only here.',
  },
);

export const EndpointList = Type.Object(
  { webhooks: Type.Array(EndpointObject, { description: 'Oldest first.' }) },
  { ...named('WebhookEndpointList'), description: 'The endpoints of a waitlist.' },
);

const url = Type.String({
  ...limits({ format: 'uri', maxLength: 2048 }),
  description: 'URL to send events to. Must use https, unless its host is in `DOORLIST_WEBHOOK_ALLOW`.',
});

const SETTINGS = {
  description: Type.Optional(
    Type.String({ ...limits({ maxLength: 500 }), description: 'What the endpoint is for.' }),
  ),
  events: Type.Optional(
    Type.Array(oneOf(EVENT_KINDS, { description: 'A kind of event.' }), {
      ...limits({ maxItems: EVENT_KINDS.length }),
      description: 'Kinds of events to send. Empty: all of them, including those of later versions.',
    }),
  ),
  headers: Type.Optional(
    Type.Record(
      Type.String(),
      Type.String({
        ...limits({ maxLength: HEADER_VALUE_CHARACTERS_MAX }),
        description: 'Value of the header.',
      }),
      {
        ...limits({ maxProperties: HEADERS_MAX }),
        description: 'Additional headers, such as `Authorization`. At most 20. Replaces the previous ones.',
      },
    ),
  ),
  rateLimit: Type.Optional(
    nullable<number>('integer', {
      ...limits({ minimum: 1, maximum: RATE_MAX }),
      description: 'Most deliveries per second. `null`: no limit.',
    }),
  ),
};

export const EndpointInputBody = { url, ...SETTINGS };
export const EndpointChangesBody = {
  url: Type.Optional(url),
  ...SETTINGS,
  enabled: Type.Optional(
    Type.Boolean({ description: 'Disabling holds deliveries; enabling sends what was held.' }),
  ),
};

const DELIVERY = {
  endpoint: Type.String({ ...idPattern('whe'), description: 'Id of the endpoint.' }),
  event: Type.String({ ...idPattern('evt'), description: 'Id of the event.' }),
  kind: Type.String({ description: 'Kind of event.' }),
  state: oneOf(DELIVERY_STATES, {
    ...named('DeliveryState'),
    description:
      '`pending` waits for its next attempt, `held` waits for its endpoint to be enabled, `delivered` was accepted, ' +
      'and `failed` was given up.',
  }),
  attempts: Type.Integer({ minimum: 0, description: 'Number of attempts so far.' }),
  createdAt: time('When the event happened.'),
  nextAttemptAt: timeOrNull('When the next attempt is due.'),
  deliveredAt: timeOrNull('When it was delivered.'),
  failedAt: timeOrNull('When it was given up.'),
};

const DeliveryObject = Type.Object(DELIVERY, {
  ...named('Delivery'),
  description: 'One event for one endpoint.',
});

export const EXAMPLE_DELIVERY = {
  endpoint: EXAMPLE_ID,
  event: EXAMPLE_EVENT_ID,
  kind: 'signup.created',
  state: 'delivered',
  attempts: 1,
  createdAt: '2026-11-15T09:30:00.000Z',
  nextAttemptAt: null,
  deliveredAt: '2026-11-15T09:30:01.000Z',
  failedAt: null,
};

const AttemptObject = Type.Object(
  {
    attempt: Type.Integer({ minimum: 1, description: 'Number of the attempt.' }),
    at: time('When it ended.'),
    status: nullable<number>('integer', { description: 'Status of the response. `null`: there was none.' }),
    durationMs: Type.Integer({ minimum: 0, description: 'How long it took.' }),
    error: nullable<string>('string', { description: 'What went wrong. `null`: nothing.' }),
    response: nullable<string>('string', {
      description:
        'Beginning of the response body. `null` if it was empty, is damaged, or was erased with a person.',
    }),
  },
  { ...named('DeliveryAttempt'), description: 'One attempt and how it went.' },
);

const RequestObject = Type.Object(
  {
    url: nullable<string>('string', {
      description:
        'URL of the endpoint now. Only its origin for `support`. `null` if the settings of the endpoint are damaged.',
    }),
    headers: Type.Record(Type.String(), nullable<string>('string', { description: 'Value of the header.' }), {
      description: 'Headers. `null` for your own headers, and for those that differ with each attempt.',
    }),
    body: nullable<string>('string', {
      description:
        'Body, the same for every attempt. `null` once a person in it has been erased, or if it is damaged.',
    }),
  },
  { ...named('DeliveryRequest'), description: 'What is sent.' },
);

export const DeliveryDetailsObject = Type.Object(
  {
    ...DELIVERY,
    attempts: Type.Array(AttemptObject, { description: 'Attempts, oldest first.' }),
    request: RequestObject,
  },
  { ...named('DeliveryDetails'), description: 'A delivery with its request and its attempts.' },
);

export const EXAMPLE_DETAILS = {
  ...EXAMPLE_DELIVERY,
  request: {
    url: EXAMPLE_ENDPOINT.url,
    headers: { 'content-type': 'application/json', 'wh-id': EXAMPLE_EVENT_ID, 'wh-timestamp': null },
    body: '{"event":"signup.created"}',
  },
  attempts: [
    {
      attempt: 1,
      at: '2026-11-15T09:30:01.000Z',
      status: 200,
      durationMs: 83,
      error: null,
      response: 'ok',
    },
  ],
};

export const DeliveryPageObject = Type.Object(
  {
    deliveries: Type.Array(DeliveryObject, { maxItems: 200, description: 'Newest event first.' }),
    nextCursor: nextCursorSchema,
  },
  { ...named('DeliveryPage'), description: 'One page of deliveries.' },
);

export const EndpointParams = Type.Object({
  ...waitlistParams,
  endpointId: Type.String({ ...WORD, description: 'Id of the endpoint.', examples: [EXAMPLE_ID] }),
});

export const DeliveryParams = Type.Object({
  ...waitlistParams,
  endpointId: Type.String({ ...WORD, description: 'Id of the endpoint.', examples: [EXAMPLE_ID] }),
  eventId: Type.String({ ...WORD, description: 'Id of the event.', examples: [EXAMPLE_EVENT_ID] }),
});

export const WaitlistParams = Type.Object(waitlistParams);
