import { WEBHOOK_EVENTS, type WebhookEventDocumentation } from '../../wire/event.ts';
import type { Parameter, Schema, WebhookOperation } from './document.ts';

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

/** The `webhooks` section of the OpenAPI document. */
export function webhookOperations(): Record<string, { post: WebhookOperation }> {
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
