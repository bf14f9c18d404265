import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import { findEntry } from '../../waitlist/entries/entries.ts';
import { queueForKey, requireRead } from '../../waitlist/keys/server-keys.ts';
import { errorResponses, okResponse } from '../responses.ts';
import { EXAMPLE_ENTRY, ref, WaitlistId, withExamples } from '../schemas.ts';
import type { SdkParts } from './parts.ts';

const Params = Type.Object({
  waitlistId: WaitlistId,
  email: Type.String({
    description:
      'Email of the entry, or its phone in international form, percent-encoded: `ada@example.com` travels as ' +
      '`ada%40example.com`, `+14155550123` as `%2B14155550123`. It is decoded once, and a bare `+` stays a plus.',
    ...withExamples({
      email: { summary: 'By email; in the path it reads ada%40example.com.', value: 'ada@example.com' },
      phone: { summary: 'By phone; in the path it reads %2B14155550123.', value: '+14155550123' },
    }),
  }),
});

const schema = {
  operationId: 'getEntry',
  tags: ['Entries'],
  summary: 'Look up one entry',
  description:
    'Returns one entry with its live position, its referrals and its status, found by email or by phone. ' +
    'Needs a server key with the grant `waitlist:read`.',
  security: [{ serverKey: [] }],
  params: Params,
  response: {
    200: okResponse({
      description: 'The entry.',
      schema: ref('Entry'),
      examples: { entry: { summary: 'Someone who waits.', value: EXAMPLE_ENTRY } },
    }),
    ...errorResponses(['invalid_request', 'unauthorized', 'forbidden', 'not_found', 'rate_limited'], {
      invalid_request: { when: 'The path is not valid percent-encoding.' },
      not_found: {
        when: 'No such entry is on the waitlist, the waitlist does not exist, or this key does not cover it.',
        message: 'no entry with this email or phone is on the waitlist',
      },
    }),
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
