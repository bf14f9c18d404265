import { ABOUT } from '../docs/about.ts';
import { webhookOperations } from '../docs/webhook-operations.ts';
import type { Api } from '../plugins/openapi.ts';

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
