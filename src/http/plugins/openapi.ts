import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { ABOUT } from '../docs/about.ts';
import { finishDocument } from '../docs/document.ts';
import { Entry, ErrorBody, WaitlistReference } from '../schemas.ts';

const TAGS = [
  { name: 'Signups', description: 'Add people to a waitlist.' },
  { name: 'Entries', description: 'Read the queue, with positions as they are this moment.' },
  { name: 'Invites', description: 'Let people in with codes that work once.' },
  { name: 'Webhooks', description: 'Make sure that a delivery came from this service.' },
  { name: 'Operations', description: 'Questions that load balancers and monitoring ask.' },
];

const SERVER_KEY = {
  type: 'http' as const,
  scheme: 'bearer',
  description:
    'A server key: `dl_live_…` for production, `dl_test_…` for any other environment. Reading entries needs the grant `waitlist:read`.',
};

/** Builds the OpenAPI document from the schemas of the routes. Call before any route is added. */
export async function registerOpenApi(app: FastifyInstance, version: string): Promise<void> {
  for (const schema of [ErrorBody, Entry, WaitlistReference]) app.addSchema(schema);
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Doorlist API',
        summary: 'Waitlists with exact positions and single-use invites.',
        version,
        description: ABOUT,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/', description: 'This installation' }],
      tags: TAGS,
      components: { securitySchemes: { serverKey: SERVER_KEY } },
    },
    refResolver: {
      buildLocalReference: (schema, _base, _fragment, index) => String(schema.$id ?? `schema${index}`),
    },
    transformObject: (parts) =>
      'openapiObject' in parts ? (finishDocument(parts.openapiObject) as object) : parts.swaggerObject,
  });
  app.get('/openapi.json', { schema: { hide: true } as object }, async (_request, reply) => {
    reply.header('x-content-type-options', 'nosniff');
    return app.swagger();
  });
}
