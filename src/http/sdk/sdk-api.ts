import { WEBHOOK_EVENTS, type WebhookEventDocumentation } from '../../wire/event.ts';
import { ABOUT } from '../docs/about.ts';
import type { Parameter, Schema, WebhookOperation } from '../docs/document.ts';
import type { Api } from '../plugins/openapi.ts';

const HEADERS = [
  ['wh-id', 'Id of the event. Stays the same when the delivery is retried.'],
  ['wh-timestamp', 'Unix time of this attempt, in seconds.'],
  ['wh-signature', 'One or more `v1,` signatures, separated by spaces.'],
].map(
  ([name = '', description = '']): Parameter => ({
    name,
    in: 'header',
    required: true,
    description: `${description} Also sent as \`${name.replace('wh-', 'webhook-')}\`.`,
    schema: { type: 'string' },
  }),
);

/** The introduction of the public API's OpenAPI document. */
export const SDK_API: Api = {
  path: '/openapi.json',
  title: 'Doorlist API',
  summary: 'Waitlists with exact positions and single-use invites.',
  description: ABOUT,
  tags: [
    { name: 'Signups', description: 'Add people to a waitlist.' },
    { name: 'Entries', description: 'Read the queue, with live positions.' },
    { name: 'Invites', description: 'Let people in with single-use codes.' },
    { name: 'Gate', description: 'Let only invited people sign up to your product.' },
    { name: 'Mail events', description: 'Report bounces and complaints.' },
    { name: 'Webhooks', description: 'Make sure a delivery came from this service.' },
    { name: 'Operations', description: 'Health checks for load balancers and monitoring.' },
  ],
  securitySchemes: {
    serverKey: {
      type: 'http',
      scheme: 'bearer',
      description:
        'A server key: `dl_live_…` for production, `dl_test_…` for any other environment. Reading entries requires the `waitlist:read` grant.',
    },
  },
  webhooks: webhookOperations(),
};

/** The `webhooks` section of the OpenAPI document. */
function webhookOperations(): Record<string, { post: WebhookOperation }> {
  return Object.fromEntries(
    Object.entries(WEBHOOK_EVENTS).map(([kind, event]) => [kind, { post: operationFor(event) }]),
  );
}

function operationFor({ name, when, schema, example }: WebhookEventDocumentation): WebhookOperation {
  return {
    operationId: `${name.slice(0, 1).toLowerCase()}${name.slice(1)}`,
    tags: ['Webhooks'],
    summary: when.replace(/\.$/, ''),
    description: `${when} Deliveries are signed according to Standard Webhooks and retried for up to three days until you return a 2xx status.`,
    security: [],
    parameters: HEADERS,
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: schema as Schema,
          examples: { event: { summary: when, value: example } },
        },
      },
    },
    responses: {
      '2XX': { description: 'Delivered. Any other status is retried.' },
      '410': { description: 'No longer wanted. The webhook endpoint is disabled.' },
    },
  };
}
