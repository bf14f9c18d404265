import Type, { type Static } from 'typebox';
import { DAY_MS, isoTime } from '../../lib/time.ts';
import { mayActAs, type Role } from '../../operators/roles.ts';
import { HEALTH_COUNT_MAX } from '../../outbox/delivery-health.ts';
import { createEndpoint, deleteEndpoint, updateEndpoint } from '../../webhooks/change-endpoints.ts';
import { DEFAULT_OVERLAP_MS, rotateEndpointSecret } from '../../webhooks/endpoint-secrets.ts';
import { ENDPOINT_SETTINGS } from '../../webhooks/endpoint-settings.ts';
import {
  countFailedLately,
  type Endpoint,
  findEndpointIn,
  listEndpoints,
  originOf,
  readEndpoint,
} from '../../webhooks/endpoints.ts';
import { presentEndpoint, presentRotatedSecret } from '../../webhooks/present.ts';
import { idPattern, named, nullable, time, timeOrNull, WORD, withExamples } from '../../wire/schema.ts';
import { settingSchemas } from '../../wire/settings.ts';
import { WaitlistIdSchema } from '../../wire/waitlist.ts';
import { operation } from '../core/operation.ts';
import { closed, Deleted } from '../core/schemas.ts';

const tag = 'Webhook endpoints';
const scope = 'queue';
const OVERLAP_MS_MAX = 30 * DAY_MS;
const EXAMPLE_ID = 'whe_06gxx2p9r1yn1vp1ryss481fhw';
export const EXAMPLE_SECRET = 'whsec_YW4gZXhhbXBsZSBzZWNyZXQsIG5vdCBhIHJlYWwgb25l';

export const endpointParams = {
  endpointId: Type.String({ ...WORD, description: 'Id of the endpoint.', examples: [EXAMPLE_ID] }),
};
/** For what cannot be done without the settings of an endpoint. */
export const DAMAGED_ENDPOINT = {
  damaged: {
    when: 'The stored settings of the endpoint are damaged.',
    message: 'the settings of this endpoint are damaged: delete it, and create another one',
  },
};

const ENDPOINT = {
  id: Type.String({ ...idPattern('whe'), description: 'Unique id of the endpoint.' }),
  waitlistId: WaitlistIdSchema,
  environment: Type.String({ description: 'Environment of the waitlist.' }),
  ...settingSchemas(ENDPOINT_SETTINGS),
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

const EndpointObject = Type.Object(ENDPOINT, {
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

const CreatedEndpointObject = Type.Object(
  { ...ENDPOINT, secret },
  {
    ...named('CreatedWebhookEndpoint'),
    description: 'An endpoint and its signing secret, which is shown only here.',
  },
);

const EndpointList = Type.Object(
  { webhooks: Type.Array(EndpointObject, { description: 'Oldest first.' }) },
  { ...named('WebhookEndpointList'), description: 'The endpoints of a waitlist.' },
);

const { url, ...settings } = settingSchemas(ENDPOINT_SETTINGS);
const optionalSettings = Type.Partial(Type.Object(settings)).properties;

const EndpointRequest = Type.Object(
  { url, ...optionalSettings },
  {
    ...named('WebhookEndpointRequest'),
    ...closed,
    description: 'A new endpoint.',
    ...withExamples({
      signups: {
        summary: 'Signups only, with a header',
        value: {
          url: EXAMPLE_ENDPOINT.url,
          events: ['signup.created'],
          headers: { Authorization: 'Bearer 4f1d2c' },
        },
      },
    }),
  },
);

const EndpointChanges = Type.Object(
  {
    url: Type.Optional(url),
    ...optionalSettings,
    enabled: Type.Optional(
      Type.Boolean({ description: 'Disabling holds deliveries; enabling sends what was held.' }),
    ),
  },
  {
    ...named('WebhookEndpointChanges'),
    ...closed,
    description: 'What to change. Everything else stays as it is.',
    ...withExamples({ disable: { summary: 'Disable the endpoint', value: { enabled: false } } }),
  },
);

const Rotation = Type.Object(
  {
    overlapMs: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: OVERLAP_MS_MAX,
        description: 'How long the old secret also signs deliveries. Default: 24 hours. 0: not at all.',
      }),
    ),
  },
  {
    ...named('SecretRotation'),
    ...closed,
    description: 'How to rotate.',
    ...withExamples({ hour: { summary: 'Overlap of an hour', value: { overlapMs: 3_600_000 } } }),
  },
);

const RotatedSecret = Type.Object(
  {
    id: Type.String({ ...idPattern('whe'), description: 'Id of the endpoint.' }),
    secret: Type.String({ description: 'New signing secret, shown only here.' }),
    previousEndsAt: timeOrNull('When the old secret stops signing. `null`: it already has.'),
  },
  { ...named('RotatedSecret'), description: 'A new signing secret.' },
);

export const webhookEndpoints = [
  operation({
    id: 'listWebhookEndpoints',
    at: 'GET /waitlists/:waitlistId/webhooks',
    tag,
    summary: 'List webhook endpoints',
    description: 'Returns the endpoints of a waitlist in one environment. Only admins get whole URLs.',
    role: 'support',
    scope,
    answer: {
      description: 'The endpoints.',
      schema: EndpointList,
      example: { webhooks: [EXAMPLE_ENDPOINT] },
    },
    run: async ({ context, queue, actor }) => {
      const endpoints = await listEndpoints(context, queue);
      const failed = await countFailedLately(context, queue);
      return { webhooks: endpoints.map((endpoint) => presentFor(actor.role, endpoint, failed)) };
    },
  }),
  operation({
    id: 'createWebhookEndpoint',
    at: 'POST /waitlists/:waitlistId/webhooks',
    tag,
    summary: 'Create a webhook endpoint',
    description: 'Creates an endpoint and returns its signing secret, this once.',
    role: 'admin',
    scope,
    body: EndpointRequest,
    answer: {
      status: 201,
      description: 'The endpoint was created.',
      schema: CreatedEndpointObject,
      example: { ...EXAMPLE_ENDPOINT, lastSuccessAt: null, secret: EXAMPLE_SECRET },
    },
    errors: { invalid_request: { message: 'url: leads to an address that is not on the public Internet' } },
    run: async ({ context, parts, queue, actor, body }) => {
      const created = await createEndpoint(context, parts.guard, queue, body);
      return { ...presentFor(actor.role, created, new Map()), secret: created.secret };
    },
  }),
  operation({
    id: 'getWebhookEndpoint',
    showsSettings: true,
    at: 'GET /waitlists/:waitlistId/webhooks/:endpointId',
    tag,
    summary: 'Get a webhook endpoint',
    description: 'Returns one endpoint with its state. Only admins get its whole URL.',
    role: 'support',
    scope,
    params: endpointParams,
    answer: { description: 'The endpoint.', schema: EndpointObject, example: EXAMPLE_ENDPOINT },
    run: async ({ context, queue, actor, params: { endpointId } }) => {
      const { row } = await findEndpointIn(context, queue, endpointId);
      return presentFor(actor.role, readEndpoint(queue, row), await countFailedLately(context, queue));
    },
  }),
  operation({
    id: 'updateWebhookEndpoint',
    settings: { lock: 'queue' },
    at: 'PATCH /waitlists/:waitlistId/webhooks/:endpointId',
    tag,
    summary: 'Update a webhook endpoint',
    description: 'Changes only the given settings.',
    role: 'admin',
    scope,
    params: endpointParams,
    body: EndpointChanges,
    answer: { description: 'The endpoint as it is now.', schema: EndpointObject, example: EXAMPLE_ENDPOINT },
    errors: DAMAGED_ENDPOINT,
    run: async ({ context, parts, queue, actor, params: { endpointId }, body }) => {
      await findEndpointIn(context, queue, endpointId);
      const updated = await updateEndpoint(context, parts.guard, endpointId, body);
      return presentFor(actor.role, updated, await countFailedLately(context, queue));
    },
  }),
  operation({
    id: 'deleteWebhookEndpoint',
    at: 'DELETE /waitlists/:waitlistId/webhooks/:endpointId',
    tag,
    summary: 'Delete a webhook endpoint',
    description: 'Deletes an endpoint with its deliveries and their log.',
    role: 'admin',
    scope,
    params: endpointParams,
    answer: {
      description: 'The endpoint was deleted.',
      schema: Deleted,
      example: { id: EXAMPLE_ID, deleted: true },
    },
    run: async ({ context, queue, params: { endpointId } }) => {
      await findEndpointIn(context, queue, endpointId);
      await deleteEndpoint(context, endpointId);
      return { id: endpointId, deleted: true as const };
    },
  }),
];

export const webhookSecrets = [
  operation({
    id: 'rotateWebhookSecret',
    at: 'POST /waitlists/:waitlistId/webhooks/:endpointId/rotate',
    tag,
    summary: 'Rotate the signing secret',
    description: 'Creates a new signing secret. Deliveries carry both signatures during the overlap.',
    role: 'admin',
    scope,
    params: endpointParams,
    body: Rotation,
    answer: {
      description: 'The new secret.',
      schema: RotatedSecret,
      example: { id: EXAMPLE_ID, secret: EXAMPLE_SECRET, previousEndsAt: '2026-11-15T10:30:00.000Z' },
    },
    errors: DAMAGED_ENDPOINT,
    run: async ({ context, queue, params: { endpointId }, body }) => {
      await findEndpointIn(context, queue, endpointId);
      const { overlapMs = DEFAULT_OVERLAP_MS } = body;
      return presentRotatedSecret(await rotateEndpointSecret(context, endpointId, overlapMs));
    },
  }),
];

/** `failed`: of `countFailedLately`. */
function presentFor(
  role: Role,
  endpoint: Endpoint,
  failed: ReadonlyMap<string, number>,
): Static<typeof EndpointObject> {
  return {
    ...presentEndpoint(endpoint),
    url: urlFor(role, endpoint.url),
    recentlyFailed: failed.get(endpoint.id) ?? 0,
    updatedAt: isoTime(endpoint.updatedAt),
  };
}

/** Path and query may contain a password. */
export function urlFor(role: Role, url: string | null): string | null {
  return url === null || mayActAs(role, 'admin') ? url : originOf(url);
}
