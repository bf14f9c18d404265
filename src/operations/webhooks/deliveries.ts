import Type, { type Static } from 'typebox';
import { invalid, notFound } from '../../lib/errors.ts';
import { formatId, parseId } from '../../lib/ids.ts';
import type { Role } from '../../operators/roles.ts';
import type { Context } from '../../waitlist/queue/context.ts';
import { findEndpointIn } from '../../webhooks/endpoints.ts';
import {
  DELIVERY_STATES,
  type DeliveryList,
  listDeliveries,
  listDeliveriesAbout,
  showDelivery,
} from '../../webhooks/list-deliveries.ts';
import { presentAttempt, presentEndpointDelivery } from '../../webhooks/present.ts';
import { replayEvent, sendTestEvent } from '../../webhooks/replay.ts';
import { REPLAYED_STATES, startReplay } from '../../webhooks/replay-job.ts';
import { EXAMPLE_JOB, JobSchema } from '../../wire/job.ts';
import {
  idPattern,
  limits,
  named,
  nullable,
  oneOf,
  time,
  timeOrNull,
  WORD,
  withExamples,
} from '../../wire/schema.ts';
import { presentNewJob } from '../core/new-job.ts';
import { operation } from '../core/operation.ts';
import { nextCursorSchema, PAGE_LIMIT_DEFAULT, pageQuery } from '../core/pages.ts';
import { closed } from '../core/schemas.ts';
import { parseTime } from '../core/times.ts';
import { EXAMPLE_ENDPOINT, endpointParams, urlFor } from './endpoints.ts';

const tag = 'Webhook endpoints';
const scope = 'queue';
const EXAMPLE_EVENT_ID = 'evt_06gxx2p9r1yn1vp1ryss481fhw';
const deliveryParams = {
  ...endpointParams,
  eventId: Type.String({ ...WORD, description: 'Id of the event.', examples: [EXAMPLE_EVENT_ID] }),
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

const EXAMPLE_DELIVERY = {
  endpoint: EXAMPLE_ENDPOINT.id,
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

const DeliveryDetailsObject = Type.Object(
  {
    ...DELIVERY,
    attempts: Type.Array(AttemptObject, { description: 'Attempts, oldest first.' }),
    request: RequestObject,
  },
  { ...named('DeliveryDetails'), description: 'A delivery with its request and its attempts.' },
);

const EXAMPLE_DETAILS = {
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

const DeliveryPageObject = Type.Object(
  {
    deliveries: Type.Array(DeliveryObject, { maxItems: 200, description: 'Newest event first.' }),
    nextCursor: nextCursorSchema,
  },
  { ...named('DeliveryPage'), description: 'One page of deliveries.' },
);

/** `parseTime` says more than the format would. */
const timeInput = (description: string) => Type.String({ ...limits({ format: 'date-time' }), description });

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

const page = {
  description: 'A page of deliveries.',
  schema: DeliveryPageObject,
  example: { deliveries: [EXAMPLE_DELIVERY], nextCursor: null },
};

export const webhookDeliveries = [
  operation({
    id: 'listDeliveries',
    at: 'GET /waitlists/:waitlistId/webhooks/:endpointId/deliveries',
    tag,
    summary: 'List deliveries',
    description:
      'Returns the deliveries to an endpoint, newest first. With a filter that few match, a page can be short: ' +
      'continue until `nextCursor` is `null`.',
    role: 'support',
    shows: 'people',
    scope,
    params: endpointParams,
    query: {
      ...pageQuery,
      state: Type.Optional(
        oneOf(DELIVERY_STATES, { description: 'Only deliveries in this state.', examples: ['failed'] }),
      ),
      event: Type.Optional(
        Type.String({ ...WORD, description: 'Only this kind of event.', examples: ['signup.created'] }),
      ),
    },
    answer: page,
    run: async ({ context, queue, params: { endpointId }, query }) => {
      const { limit = PAGE_LIMIT_DEFAULT, cursor, state, event: kind } = query;
      await findEndpointIn(context, queue, endpointId);
      return presentList(await listDeliveries(context, endpointId, { limit, cursor, state, kind }));
    },
  }),
  operation({
    id: 'listDeliveriesAboutEntry',
    at: 'GET /waitlists/:waitlistId/deliveries',
    tag,
    summary: 'List deliveries about an entry',
    description: 'Returns the deliveries to all endpoints whose event is about this entry, newest first.',
    role: 'support',
    shows: 'people',
    scope,
    query: {
      ...pageQuery,
      entry: Type.String({
        ...WORD,
        description: 'Id of the entry that the events are about.',
        examples: ['ent_06gxx2p9r1yn1vp1ryss481fhw'],
      }),
    },
    answer: page,
    run: async ({ context, queue, query: { limit = PAGE_LIMIT_DEFAULT, cursor, entry } }) => {
      const entryId = parseId('ent', entry);
      if (!entryId) throw invalid('entry: must look like ent_…');
      return presentList(await listDeliveriesAbout(context, queue, entryId, { limit, cursor }));
    },
  }),
  operation({
    id: 'getDelivery',
    at: 'GET /waitlists/:waitlistId/webhooks/:endpointId/deliveries/:eventId',
    tag,
    summary: 'Get a delivery',
    description: 'Returns what is sent, and each attempt with its response.',
    role: 'support',
    shows: 'people',
    scope,
    params: deliveryParams,
    answer: { description: 'The delivery.', schema: DeliveryDetailsObject, example: EXAMPLE_DETAILS },
    run: async ({ context, queue, actor, params: { endpointId, eventId } }) => {
      await findEndpointIn(context, queue, endpointId);
      return readDetails(context, actor.role, endpointId, requireEvent(eventId));
    },
  }),
  operation({
    id: 'replayDelivery',
    at: 'POST /waitlists/:waitlistId/webhooks/:endpointId/deliveries/:eventId/replay',
    tag,
    summary: 'Replay a delivery',
    description: 'Sends an event to an endpoint again, whatever became of it.',
    role: 'admin',
    scope,
    params: deliveryParams,
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
    run: async ({ context, queue, actor, params: { endpointId, eventId } }) => {
      await findEndpointIn(context, queue, endpointId);
      await replayEvent(context, endpointId, requireEvent(eventId));
      return readDetails(context, actor.role, endpointId, eventId);
    },
  }),
  operation({
    id: 'replayDeliveries',
    at: 'POST /waitlists/:waitlistId/webhooks/:endpointId/replay',
    tag,
    summary: 'Replay deliveries',
    description: 'Starts a job that sends the events of a time range to an endpoint again, oldest first.',
    role: 'admin',
    scope,
    params: endpointParams,
    body: ReplayRequest,
    answer: {
      status: 202,
      description: 'The job.',
      schema: JobSchema,
      example: {
        ...EXAMPLE_JOB,
        kind: 'replay',
        subject: EXAMPLE_ENDPOINT.id,
        state: 'queued',
        done: 0,
        total: 12,
      },
    },
    run: async ({ context, queue, params: { endpointId }, body: { from, to, state = 'failed' } }) => {
      await findEndpointIn(context, queue, endpointId);
      const { id } = await startReplay(context, endpointId, {
        from: parseTime(from, 'from'),
        to: to === undefined ? undefined : parseTime(to, 'to'),
        state,
      });
      return presentNewJob(context, formatId('job', id));
    },
  }),
  operation({
    id: 'testWebhookEndpoint',
    at: 'POST /waitlists/:waitlistId/webhooks/:endpointId/test',
    tag,
    summary: 'Send a test event',
    description:
      'Sends a `webhook.test` event to this endpoint only. It is delivered and retried like any other.',
    role: 'admin',
    scope,
    params: endpointParams,
    answer: {
      status: 202,
      description: 'The delivery, due now.',
      schema: DeliveryDetailsObject,
      example: {
        ...EXAMPLE_DETAILS,
        kind: 'webhook.test',
        state: 'pending',
        attempts: [],
        deliveredAt: null,
      },
    },
    run: async ({ context, queue, actor, params: { endpointId } }) => {
      await findEndpointIn(context, queue, endpointId);
      const { event } = await sendTestEvent(context, endpointId);
      return readDetails(context, actor.role, endpointId, event);
    },
  }),
];

function requireEvent(eventId: string): string {
  if (parseId('evt', eventId)) return eventId;
  throw notFound('there is no such delivery');
}

function presentList({ deliveries, nextCursor }: DeliveryList): Static<typeof DeliveryPageObject> {
  return { deliveries: deliveries.map(presentEndpointDelivery), nextCursor };
}

async function readDetails(
  context: Context,
  role: Role,
  endpointId: string,
  eventId: string,
): Promise<Static<typeof DeliveryDetailsObject>> {
  const delivery = await showDelivery(context, endpointId, eventId);
  const { request, log } = delivery;
  return {
    ...presentEndpointDelivery(delivery),
    request: { ...request, url: urlFor(role, request.url) },
    attempts: log.map(presentAttempt),
  };
}
