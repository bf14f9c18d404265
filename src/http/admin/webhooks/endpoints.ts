import Type from 'typebox';
import { closed, Deleted } from '../../../operations/core/schemas.ts';
import { createEndpoint, deleteEndpoint, updateEndpoint } from '../../../webhooks/change-endpoints.ts';
import { countFailedLately, listEndpoints, readEndpoint } from '../../../webhooks/endpoints.ts';
import { named, withExamples } from '../../../wire/schema.ts';
import type { TypedApp } from '../../typed-app.ts';
import { adminSchema } from '../core/operation.ts';
import type { AdminParts } from '../core/parts.ts';
import { domainFor, environmentQuery, requireQueue } from '../core/waitlist-scope.ts';
import {
  CreatedEndpointObject,
  EndpointChangesBody,
  EndpointInputBody,
  EndpointList,
  EndpointObject,
  EndpointParams,
  EXAMPLE_ENDPOINT,
  EXAMPLE_SECRET,
  WaitlistParams,
} from './schemas.ts';
import { DAMAGED_ENDPOINT, NO_ENDPOINT, NO_WAITLIST, presentOwned, requireEndpoint } from './scope.ts';

const tag = 'Webhook endpoints';
const querystring = Type.Object(environmentQuery, closed);

const EndpointRequest = Type.Object(EndpointInputBody, {
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
});

const EndpointChanges = Type.Object(EndpointChangesBody, {
  ...named('WebhookEndpointChanges'),
  ...closed,
  description: 'What to change. Everything else stays as it is.',
  ...withExamples({ disable: { summary: 'Disable the endpoint', value: { enabled: false } } }),
});

const listSchema = adminSchema({
  operationId: 'listWebhookEndpoints',
  tag,
  summary: 'List webhook endpoints',
  description: 'Returns the endpoints of a waitlist in one environment. Only admins get whole URLs.',
  role: 'support',
  params: WaitlistParams,
  querystring,
  answer: { description: 'The endpoints.', schema: EndpointList, example: { webhooks: [EXAMPLE_ENDPOINT] } },
  errors: ['not_found'],
  special: NO_WAITLIST,
});

const createSchema = adminSchema({
  operationId: 'createWebhookEndpoint',
  tag,
  summary: 'Create a webhook endpoint',
  description: 'Creates an endpoint and returns its signing secret, this once.',
  role: 'admin',
  params: WaitlistParams,
  querystring,
  body: EndpointRequest,
  answer: {
    status: 201,
    description: 'The endpoint was created.',
    schema: CreatedEndpointObject,
    example: { ...EXAMPLE_ENDPOINT, lastSuccessAt: null, secret: EXAMPLE_SECRET },
  },
  errors: ['not_found'],
  special: {
    ...NO_WAITLIST,
    invalid_request: { message: 'url: leads to an address that is not on the public Internet' },
  },
});

const getSchema = adminSchema({
  operationId: 'getWebhookEndpoint',
  showsSettings: true,
  tag,
  summary: 'Get a webhook endpoint',
  description: 'Returns one endpoint with its state. Only admins get its whole URL.',
  role: 'support',
  params: EndpointParams,
  querystring,
  answer: { description: 'The endpoint.', schema: EndpointObject, example: EXAMPLE_ENDPOINT },
  errors: ['not_found'],
  special: NO_ENDPOINT,
});

const updateSchema = adminSchema({
  operationId: 'updateWebhookEndpoint',
  settings: { lock: 'queue' },
  tag,
  summary: 'Update a webhook endpoint',
  description: 'Changes only the given settings.',
  role: 'admin',
  params: EndpointParams,
  querystring,
  body: EndpointChanges,
  answer: { description: 'The endpoint as it is now.', schema: EndpointObject, example: EXAMPLE_ENDPOINT },
  errors: ['not_found'],
  special: { ...NO_ENDPOINT, ...DAMAGED_ENDPOINT },
});

const deleteSchema = adminSchema({
  operationId: 'deleteWebhookEndpoint',
  write: true,
  tag,
  summary: 'Delete a webhook endpoint',
  description: 'Deletes an endpoint with its deliveries and their log.',
  role: 'admin',
  params: EndpointParams,
  querystring,
  answer: {
    description: 'The endpoint was deleted.',
    schema: Deleted,
    example: { id: EXAMPLE_ENDPOINT.id, deleted: true },
  },
  errors: ['not_found'],
  special: NO_ENDPOINT,
});

export function registerEndpoints(app: TypedApp, parts: AdminParts): void {
  const { guard } = parts;
  app.get('/waitlists/:waitlistId/webhooks', { schema: listSchema }, async (request) => {
    const { params, query, caller } = request;
    const queue = await requireQueue(parts, params, query);
    const endpoints = await listEndpoints(parts.waitlists, queue);
    const failed = await countFailedLately(parts.waitlists, queue);
    return { webhooks: endpoints.map((endpoint) => presentOwned(endpoint, caller.actor.role, failed)) };
  });

  app.post('/waitlists/:waitlistId/webhooks', { schema: createSchema }, async (request, reply) => {
    const { params, query, body, caller } = request;
    const queue = await requireQueue(parts, params, query);
    const defaults = { description: '', events: [], headers: {}, rateLimit: null };
    const created = await createEndpoint(domainFor(parts, request), guard, queue, { ...defaults, ...body });
    reply.code(201);
    return { ...presentOwned(created, caller.actor.role, new Map()), secret: created.secret };
  });

  app.get('/waitlists/:waitlistId/webhooks/:endpointId', { schema: getSchema }, async (request) => {
    const { queue, row } = await requireEndpoint(parts, request);
    const failed = await countFailedLately(parts.waitlists, queue);
    return presentOwned(readEndpoint(queue, row), request.caller.actor.role, failed);
  });

  app.patch('/waitlists/:waitlistId/webhooks/:endpointId', { schema: updateSchema }, async (request) => {
    const { id, queue } = await requireEndpoint(parts, request);
    const updated = await updateEndpoint(domainFor(parts, request), guard, id, request.body);
    const failed = await countFailedLately(parts.waitlists, queue);
    return presentOwned(updated, request.caller.actor.role, failed);
  });

  app.delete('/waitlists/:waitlistId/webhooks/:endpointId', { schema: deleteSchema }, async (request) => {
    const { id } = await requireEndpoint(parts, request);
    await deleteEndpoint(domainFor(parts, request), id);
    return { id, deleted: true as const };
  });
}
