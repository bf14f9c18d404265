import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import { CODE_CHARACTERS_MAX, checkInvite } from '../../waitlist/invites/invites.ts';
import { clientOf } from '../plugins/rate-limit.ts';
import { errorResponses, okResponse } from '../responses.ts';
import { EXAMPLE_WAITLIST, oneOf, ref } from '../schemas.ts';
import type { SdkParts } from './parts.ts';

/** The length is checked by the domain, after decoding: a schema would refuse an empty code as an unknown path. */
export const CodeParams = Type.Object({
  code: Type.String({
    description: `The invite code, 1 to ${CODE_CHARACTERS_MAX} characters, normally taken from the invite link. Percent-encode what you did not make yourself.`,
    examples: ['x4k9zt6h2m8c0v5s1n7q3r9w4j6b8d2f'],
  }),
});

const schema = {
  operationId: 'checkInvite',
  tags: ['Invites'],
  summary: 'Check whether an invite code is live',
  description:
    'Tells whether a code can be redeemed right now, and changes nothing. Every well-formed code gets a 200, also one ' +
    'that does not exist: look at `valid` before you offer to redeem it. Of several reasons you get the first of ' +
    '`accepted`, `revoked`, `expired`. Needs no server key and can be called from a browser on any origin.',
  security: [],
  params: CodeParams,
  response: {
    200: okResponse({
      description: 'The state of the code.',
      schema: Type.Object({
        valid: Type.Boolean({ description: 'Whether the code can be redeemed right now.' }),
        reason: Type.Optional(
          oneOf(['not_found', 'expired', 'accepted', 'revoked'], {
            description: 'Why the code cannot be redeemed; present when not valid.',
          }),
        ),
        email: Type.Optional(Type.String({ description: 'The invited email; present when valid.' })),
        waitlist: Type.Optional(
          ref('WaitlistReference', 'The waitlist that the code opens; present when valid.'),
        ),
        expiresAt: Type.Optional(
          Type.String({
            format: 'date-time',
            description: 'Present when the code has an expiry, valid or not.',
          }),
        ),
      }),
      examples: {
        live: {
          summary: 'The code can be redeemed.',
          value: {
            valid: true,
            email: 'ada@example.com',
            waitlist: EXAMPLE_WAITLIST,
            expiresAt: '2026-12-01T00:00:00.000Z',
          },
        },
        expired: {
          summary: 'The code is past its expiry.',
          value: { valid: false, reason: 'expired', expiresAt: '2026-11-01T00:00:00.000Z' },
        },
        unknown: {
          summary: 'There is no such code.',
          value: { valid: false, reason: 'not_found' },
        },
      },
    }),
    ...errorResponses(['invalid_request', 'rate_limited'], {
      invalid_request: {
        when: `The code is empty, longer than ${CODE_CHARACTERS_MAX} characters, or not valid percent-encoding.`,
        message: `code: is longer than ${CODE_CHARACTERS_MAX} characters`,
      },
    }),
  },
};

export function registerCheckInvite(app: FastifyInstance, { context, limits }: SdkParts): void {
  app.get('/invites/:code', {
    schema,
    onRequest: async (request, reply) => limits.inviteCheck.take(clientOf(request), reply),
    handler: async (request) => checkInvite(context, (request.params as Static<typeof CodeParams>).code),
  });
}
