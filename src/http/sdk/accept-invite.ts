import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import { invalid } from '../../errors.ts';
import { acceptInvite } from '../../waitlist/invites/accept-invite.ts';
import { registerOptionalJsonBody } from '../plugins/body.ts';
import { clientOf } from '../plugins/rate-limit.ts';
import { errorResponses, okResponse } from '../responses.ts';
import { EXAMPLE_WAITLIST, ref, withExamples } from '../schemas.ts';
import { CodeParams } from './check-invite.ts';
import type { SdkParts } from './parts.ts';

const BODY_BYTES_MAX = 16 * 1024;

const Body = Type.Object(
  {
    email: Type.Optional(
      Type.String({
        description: 'When sent, it must be the invited one, whatever its case.',
        examples: ['ada@example.com'],
      }),
    ),
  },
  {
    additionalProperties: false,
    'x-optional': true,
    ...withExamples({
      withEmail: {
        summary: 'Accept only if the invite belongs to this email.',
        value: { email: 'ada@example.com' },
      },
      anyone: { summary: 'Accept for whoever holds the code.', value: {} },
    }),
  },
);

const schema = {
  operationId: 'acceptInvite',
  tags: ['Invites'],
  summary: 'Redeem an invite code',
  description:
    'Uses the code up: of all attempts to accept it, from anywhere, exactly one succeeds. The entry that was invited, ' +
    'where there is one, becomes `joined`. The body may be left out. ' +
    'Send an `Idempotency-Key` to make a retry safe: the same one gets the first answer again. ' +
    'Needs no server key and can be called from a browser on any origin.',
  security: [],
  params: CodeParams,
  headers: Type.Object({
    'idempotency-key': Type.Optional(
      Type.String({
        description:
          'Your own name for this attempt, 1 to 255 printable ASCII characters. A retry with the same one gets the first answer again.',
        examples: ['4f6b1c1e-9f0a-4c2f-8a53-0d5f5d3c7b21'],
      }),
    ),
  }),
  body: Body,
  response: {
    200: okResponse({
      description: 'The code was redeemed.',
      schema: Type.Object({
        success: Type.Boolean({ description: 'Always true.' }),
        email: Type.String({ description: 'The invited email.' }),
        waitlist: ref('WaitlistReference', 'The waitlist that the code opened.'),
        acceptedAt: Type.String({ format: 'date-time', description: 'When the code was redeemed.' }),
      }),
      examples: {
        redeemed: {
          summary: 'The code is used up now.',
          value: {
            success: true,
            email: 'ada@example.com',
            waitlist: EXAMPLE_WAITLIST,
            acceptedAt: '2026-11-15T09:30:00.000Z',
          },
        },
      },
    }),
    ...errorResponses(
      [
        'invalid_request',
        'not_found',
        'accepted',
        'email_mismatch',
        'expired',
        'revoked',
        'payload_too_large',
        'unsupported_media_type',
        'rate_limited',
      ],
      {
        invalid_request: {
          when: 'The code, the body or the `Idempotency-Key` is malformed.',
          message: 'email: not an email address',
        },
        not_found: { when: 'There is no such invite.', message: 'there is no invite with this code' },
        rate_limited: { message: 'more than 300 requests in a minute: slow down' },
      },
    ),
  },
};

export function registerAcceptInvite(app: FastifyInstance, { context, limits, readBody }: SdkParts): void {
  app.register(async (scope) => {
    registerOptionalJsonBody(scope, readBody);
    scope.post('/invites/:code/accept', {
      schema,
      bodyLimit: BODY_BYTES_MAX,
      onRequest: async (request, reply) => limits.inviteAccept.take(clientOf(request), reply),
      preValidation: async (request) => {
        if (request.body === undefined) request.body = {};
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
