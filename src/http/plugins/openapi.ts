import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { Entry, ErrorBody, WaitlistReference } from '../schemas.ts';

const ABOUT = `Capture signups, read the queue with live positions, and let people in with single-use invite codes.

Every request and response is JSON. A server key goes into \`Authorization: Bearer <key>\`; keep it on your backend.
Every error is \`{ "code", "message" }\`, and every response carries \`X-Request-Id\`.
An instant is ISO 8601 in UTC with milliseconds.`;

/** Builds the OpenAPI document from the schemas of the routes. Call before any route is added. */
export async function registerOpenApi(app: FastifyInstance, version: string): Promise<void> {
  for (const schema of [ErrorBody, Entry, WaitlistReference]) app.addSchema(schema);
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Doorlist API',
        version,
        description: ABOUT,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/', description: 'This installation' }],
      tags: [
        { name: 'Signups', description: 'Adding people to a waitlist.' },
        { name: 'Entries', description: 'Reading the queue.' },
        { name: 'Invites', description: 'Letting people in.' },
        { name: 'Webhooks', description: 'Checking deliveries.' },
        { name: 'Operations', description: 'For load balancers and monitoring.' },
      ],
      components: {
        securitySchemes: {
          serverKey: {
            type: 'http',
            scheme: 'bearer',
            description:
              '`dl_live_…` for production, `dl_test_…` for any other environment. The key decides which environment is meant.',
          },
        },
      },
    },
    refResolver: {
      buildLocalReference: (schema, _base, _fragment, index) => String(schema.$id ?? `schema${index}`),
    },
  });
  app.get('/openapi.json', { schema: { hide: true } as object }, async () => app.swagger());
}
