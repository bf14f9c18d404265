import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import { findEntry } from '../../waitlist/entries.ts';
import { queueForKey, requireRead } from '../../waitlist/server-keys.ts';
import { EXAMPLE_ENTRY, errorResponses, okResponse, ref } from '../schemas.ts';
import type { SdkParts } from './parts.ts';

const Params = Type.Object({
  waitlistId: Type.String({ description: 'Short waitlist id.', examples: ['wl_acme'] }),
  email: Type.String({
    description: 'The email of the entry, percent-encoded, or its phone in international form.',
    examples: ['ada@example.com'],
  }),
});

const schema = {
  operationId: 'getEntry',
  tags: ['Entries'],
  summary: 'Look up one entry',
  description: 'The entry with its live position, its referrals and its status.',
  security: [{ serverKey: [] }],
  params: Params,
  response: {
    200: okResponse('The entry.', ref('Entry'), { entry: EXAMPLE_ENTRY }),
    ...errorResponses('invalid_request', 'unauthorized', 'forbidden', 'not_found', 'rate_limited'),
  },
};

export function registerGetEntry(app: FastifyInstance, { context, requireKey }: SdkParts): void {
  app.get('/:waitlistId/entries/:email', {
    schema,
    onRequest: requireKey,
    handler: async (request) => {
      requireRead(request.serverKey);
      const { waitlistId, email } = request.params as Static<typeof Params>;
      const queue = await queueForKey(context, request.serverKey, waitlistId);
      return findEntry(context, queue, email);
    },
  });
}
