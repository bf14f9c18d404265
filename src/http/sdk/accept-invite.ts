import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import { invalid } from '../../errors.ts';
import { acceptInvite } from '../../waitlist/accept-invite.ts';
import { registerOptionalJsonBody } from '../plugins/body.ts';
import { clientOf } from '../plugins/rate-limit.ts';
import { errorResponses, okResponse, ref } from '../schemas.ts';
import { CodeParams } from './check-invite.ts';
import type { SdkParts } from './parts.ts';

const BODY_BYTES_MAX = 16 * 1024;

const Body = Type.Object(
  {
    email: Type.Optional(
      Type.String({ description: 'When sent, it must be the invited one.', examples: ['ada@example.com'] }),
    ),
  },
  { additionalProperties: false },
);

const schema = {
  operationId: 'acceptInvite',
  tags: ['Invites'],
  summary: 'Redeem an invite code',
  description:
    'Exactly one accept of a code ever succeeds. The invited entry, where there is one, becomes `joined`. ' +
    'Callable from a browser on any origin; the body may be left out.',
  security: [],
  params: CodeParams,
  headers: Type.Object({
    'idempotency-key': Type.Optional(
      Type.String({
        description:
          'Up to 255 printable ASCII characters. A retry with the same key gets the first answer again.',
      }),
    ),
  }),
  body: Body,
  response: {
    200: okResponse(
      'The code was redeemed.',
      Type.Object({
        success: Type.Boolean(),
        email: Type.String({ description: 'The invited email.' }),
        waitlist: ref('WaitlistReference'),
        acceptedAt: Type.String({ format: 'date-time' }),
      }),
      {
        redeemed: {
          success: true,
          email: 'ada@example.com',
          waitlist: { id: 'wl_acme', name: 'Acme' },
          acceptedAt: '2026-11-15T09:30:00.000Z',
        },
      },
    ),
    ...errorResponses(
      'invalid_request',
      'not_found',
      'accepted',
      'email_mismatch',
      'expired',
      'revoked',
      'payload_too_large',
      'unsupported_media_type',
      'rate_limited',
    ),
  },
};

export function registerAcceptInvite(app: FastifyInstance, { context, limits }: SdkParts): void {
  app.register(async (scope) => {
    registerOptionalJsonBody(scope);
    scope.post('/invites/:code/accept', {
      schema,
      bodyLimit: BODY_BYTES_MAX,
      onRequest: async (request, reply) => limits.inviteAccept.take(clientOf(request), reply),
      preValidation: async (request) => {
        request.body ??= {};
      },
      handler: async (request) => {
        const { code } = request.params as Static<typeof CodeParams>;
        const { email } = request.body as Static<typeof Body>;
        return acceptInvite(context, {
          code,
          email,
          idempotencyKey: readKey(request.headers['idempotency-key']),
        });
      },
    });
  });
}

function readKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header === 'string' && /^[\x20-\x7e]{1,255}$/.test(header)) return header;
  throw invalid('Idempotency-Key: must be 1 to 255 printable ASCII characters');
}
