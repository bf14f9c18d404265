import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import { CODE_CHARACTERS_MAX, checkInvite } from '../../waitlist/invites.ts';
import { clientOf } from '../plugins/rate-limit.ts';
import { errorResponses, okResponse, oneOf, ref } from '../schemas.ts';
import type { SdkParts } from './parts.ts';

/** The length is checked by the domain, after decoding: a schema would refuse an empty code as an unknown path. */
export const CodeParams = Type.Object({
  code: Type.String({
    description: `The invite code, 1 to ${CODE_CHARACTERS_MAX} characters, normally taken from the invite link.`,
    examples: ['x4k9zt6h2m8c0v5s1n7q3r9w4j6b8d2f'],
  }),
});

const schema = {
  operationId: 'checkInvite',
  tags: ['Invites'],
  summary: 'Check whether an invite code is live',
  description:
    'Every well-formed code gets a 200: look at `valid` before you offer to redeem it. Callable from a browser on any origin.',
  security: [],
  params: CodeParams,
  response: {
    200: okResponse(
      'The state of the code.',
      Type.Object({
        valid: Type.Boolean({ description: 'Whether the code can be redeemed right now.' }),
        reason: Type.Optional(
          oneOf(['not_found', 'expired', 'accepted', 'revoked'], { description: 'Present when not valid.' }),
        ),
        email: Type.Optional(Type.String({ description: 'The invited email; present when valid.' })),
        waitlist: Type.Optional(ref('WaitlistReference')),
        expiresAt: Type.Optional(
          Type.String({ format: 'date-time', description: 'Present when an expiry is set.' }),
        ),
      }),
      {
        live: {
          valid: true,
          email: 'ada@example.com',
          waitlist: { id: 'wl_acme', name: 'Acme' },
          expiresAt: '2026-12-01T00:00:00.000Z',
        },
        unknown: { valid: false, reason: 'not_found' },
      },
    ),
    ...errorResponses('invalid_request', 'rate_limited'),
  },
};

export function registerCheckInvite(app: FastifyInstance, { context, limits }: SdkParts): void {
  app.get('/invites/:code', {
    schema,
    onRequest: async (request, reply) => limits.inviteCheck.take(clientOf(request), reply),
    handler: async (request) => checkInvite(context, (request.params as Static<typeof CodeParams>).code),
  });
}
