import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { invalid, notFound } from '../../../lib/errors.ts';
import { formatId, parseId } from '../../../lib/ids.ts';
import { presentNewJob } from '../../../operations/core/new-job.ts';
import { PAGE_LIMIT_DEFAULT, pageQuery } from '../../../operations/core/pages.ts';
import { closed } from '../../../operations/core/schemas.ts';
import { parseTime } from '../../../operations/core/times.ts';
import {
  DELIVERY_STATES,
  type DeliveryList,
  listDeliveries,
  listDeliveriesAbout,
  showDelivery,
} from '../../../webhooks/list-deliveries.ts';
import { presentAttempt, presentEndpointDelivery } from '../../../webhooks/present.ts';
import { replayEvent, sendTestEvent } from '../../../webhooks/replay.ts';
import { REPLAYED_STATES, startReplay } from '../../../webhooks/replay-job.ts';
import { EXAMPLE_JOB, JobSchema } from '../../../wire/job.ts';
import { limits, named, oneOf, WORD, withExamples } from '../../../wire/schema.ts';
import type { TypedApp } from '../../typed-app.ts';
import { adminSchema } from '../core/operation.ts';
import type { AdminParts } from '../core/parts.ts';
import { queueToRead, recordRead } from '../core/reading.ts';
import { domainFor, environmentQuery } from '../core/waitlist-scope.ts';
import {
  DeliveryDetailsObject,
  DeliveryPageObject,
  DeliveryParams,
  EndpointParams,
  EXAMPLE_DELIVERY,
  EXAMPLE_DETAILS,
  WaitlistParams,
} from './schemas.ts';
import { NO_ENDPOINT, NO_WAITLIST, requireEndpoint, urlFor } from './scope.ts';

const tag = 'Webhook endpoints';
const querystring = Type.Object(environmentQuery, closed);
const NO_DELIVERY = {
  not_found: {
    when: 'The waitlist, the environment, the endpoint or the delivery does not exist.',
    message: 'there is no such delivery',
  },
};

/** Parsed by the route, whose message says more than the format's. */
const timeInput = (description: string) => Type.String({ ...limits({ format: 'date-time' }), description });

const ListQuery = Type.Object(
  {
    ...environmentQuery,
    ...pageQuery,
    state: Type.Optional(
      oneOf(DELIVERY_STATES, { description: 'Only deliveries in this state.', examples: ['failed'] }),
    ),
    event: Type.Optional(
      Type.String({ ...WORD, description: 'Only this kind of event.', examples: ['signup.created'] }),
    ),
  },
  closed,
);

const AboutQuery = Type.Object(
  {
    ...environmentQuery,
    ...pageQuery,
    entry: Type.String({
      ...WORD,
      description: 'Id of the entry that the events are about.',
      examples: ['ent_06gxx2p9r1yn1vp1ryss481fhw'],
    }),
  },
  closed,
);

const ReplayRequest = Type.Object(
  {
    from: timeInput('Events from this time on are sent again.'),
    to: Type.Optional(timeInput('Events from this time on are left out. Default: now.')),
    state: Type.Optional(
      oneOf(REPLAYED_STATES, {
        description:
          'Which deliveries: those that were given up (`failed`, the default), those that failed and wait for their next attempt ' +
          '(`pending`), or those that arrived (`delivered`).',
      }),
    ),
  },
  {
    ...named('ReplayRequest'),
    ...closed,
    description: 'What to send again.',
    ...withExamples({
      outage: {
        summary: 'What failed in an hour',
        value: { from: '2026-11-15T09:00:00Z', to: '2026-11-15T10:00:00Z' },
      },
    }),
  },
);

const page = { deliveries: [EXAMPLE_DELIVERY], nextCursor: null };

const listSchema = adminSchema({
  operationId: 'listDeliveries',
  tag,
  summary: 'List deliveries',
  description:
    'Returns the deliveries to an endpoint, newest first. With a filter that few match, a page can be short: ' +
    'continue until `nextCursor` is `null`.',
  role: 'support',
  params: EndpointParams,
  querystring: ListQuery,
  answer: { description: 'A page of deliveries.', schema: DeliveryPageObject, example: page },
  errors: ['not_found'],
  special: NO_ENDPOINT,
});

const aboutSchema = adminSchema({
  operationId: 'listDeliveriesAboutEntry',
  tag,
  summary: 'List deliveries about an entry',
  description: 'Returns the deliveries to all endpoints whose event is about this entry, newest first.',
  role: 'support',
  params: WaitlistParams,
  querystring: AboutQuery,
  answer: { description: 'A page of deliveries.', schema: DeliveryPageObject, example: page },
  errors: ['not_found'],
  special: NO_WAITLIST,
});

const getSchema = adminSchema({
  operationId: 'getDelivery',
  tag,
  summary: 'Get a delivery',
  description: 'Returns what is sent, and each attempt with its response.',
  role: 'support',
  params: DeliveryParams,
  querystring,
  answer: { description: 'The delivery.', schema: DeliveryDetailsObject, example: EXAMPLE_DETAILS },
  errors: ['not_found'],
  special: NO_DELIVERY,
});

const replayOneSchema = adminSchema({
  operationId: 'replayDelivery',
  write: true,
  tag,
  summary: 'Replay a delivery',
  description: 'Sends an event to an endpoint again, whatever became of it.',
  role: 'admin',
  params: DeliveryParams,
  querystring,
  answer: {
    description: 'The delivery, due now.',
    schema: DeliveryDetailsObject,
    example: {
      ...EXAMPLE_DETAILS,
      state: 'pending',
      deliveredAt: null,
      nextAttemptAt: '2026-11-15T09:40:00.000Z',
    },
  },
  errors: ['not_found'],
  special: NO_DELIVERY,
});

const replaySchema = adminSchema({
  operationId: 'replayDeliveries',
  tag,
  summary: 'Replay deliveries',
  description: 'Starts a job that sends the events of a time range to an endpoint again, oldest first.',
  role: 'admin',
  params: EndpointParams,
  querystring,
  body: ReplayRequest,
  answer: {
    status: 202,
    description: 'The job.',
    schema: JobSchema,
    example: {
      ...EXAMPLE_JOB,
      kind: 'replay',
      subject: EXAMPLE_DELIVERY.endpoint,
      state: 'queued',
      done: 0,
      total: 12,
    },
  },
  errors: ['not_found'],
  special: NO_ENDPOINT,
});

const testSchema = adminSchema({
  operationId: 'testWebhookEndpoint',
  write: true,
  tag,
  summary: 'Send a test event',
  description:
    'Sends a `webhook.test` event to this endpoint only. It is delivered and retried like any other.',
  role: 'admin',
  params: EndpointParams,
  querystring,
  answer: {
    status: 202,
    description: 'The delivery, due now.',
    schema: DeliveryDetailsObject,
    example: { ...EXAMPLE_DETAILS, kind: 'webhook.test', state: 'pending', attempts: [], deliveredAt: null },
  },
  errors: ['not_found'],
  special: NO_ENDPOINT,
});

export function registerDeliveries(app: TypedApp, parts: AdminParts): void {
  const path = '/waitlists/:waitlistId/webhooks/:endpointId';
  app.get(`${path}/deliveries`, { schema: listSchema }, async (request) => {
    const { id, queue } = await requireEndpoint(parts, request);
    await recordRead(parts, request, queue);
    const { limit = PAGE_LIMIT_DEFAULT, cursor, state, event: kind } = request.query;
    return presentList(await listDeliveries(parts.waitlists, id, { limit, cursor, state, kind }));
  });

  app.get('/waitlists/:waitlistId/deliveries', { schema: aboutSchema }, async (request) => {
    const { query } = request;
    const queue = await queueToRead(parts, request);
    const { limit = PAGE_LIMIT_DEFAULT, cursor, entry } = query;
    const entryId = parseId('ent', entry);
    if (!entryId) throw invalid('entry: must look like ent_…');
    return presentList(await listDeliveriesAbout(parts.waitlists, queue, entryId, { limit, cursor }));
  });

  app.get(`${path}/deliveries/:eventId`, { schema: getSchema }, async (request) => {
    const { id, queue } = await requireEndpoint(parts, request);
    await recordRead(parts, request, queue);
    return readDetails(parts, request, id, requireEvent(request.params.eventId));
  });

  app.post(`${path}/deliveries/:eventId/replay`, { schema: replayOneSchema }, async (request) => {
    const { id } = await requireEndpoint(parts, request);
    const eventId = requireEvent(request.params.eventId);
    await replayEvent(domainFor(parts, request), id, eventId);
    return readDetails(parts, request, id, eventId);
  });

  app.post(`${path}/replay`, { schema: replaySchema }, async (request, reply) => {
    const { id } = await requireEndpoint(parts, request);
    const { from, to, state = 'failed' } = request.body;
    const domain = domainFor(parts, request);
    const job = await startReplay(domain, id, {
      from: parseTime(from, 'from'),
      to: to === undefined ? undefined : parseTime(to, 'to'),
      state,
    });
    reply.code(202);
    return presentNewJob(domain, formatId('job', job.id));
  });

  app.post(`${path}/test`, { schema: testSchema }, async (request, reply) => {
    const { id } = await requireEndpoint(parts, request);
    const { event } = await sendTestEvent(domainFor(parts, request), id);
    reply.code(202);
    return readDetails(parts, request, id, event);
  });
}

function requireEvent(eventId: string): string {
  if (parseId('evt', eventId)) return eventId;
  throw notFound('there is no such delivery');
}

function presentList({ deliveries, nextCursor }: DeliveryList) {
  return { deliveries: deliveries.map(presentEndpointDelivery), nextCursor };
}

async function readDetails(
  { waitlists }: AdminParts,
  { caller }: Pick<FastifyRequest, 'caller'>,
  endpointId: string,
  eventId: string,
) {
  const delivery = await showDelivery(waitlists, endpointId, eventId);
  const url = urlFor(caller.actor.role, delivery.request.url);
  const request = { ...delivery.request, url };
  return { ...presentEndpointDelivery(delivery), request, attempts: delivery.log.map(presentAttempt) };
}
