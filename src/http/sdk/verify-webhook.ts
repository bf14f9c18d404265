import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import { invalid } from '../../errors.ts';
import { FAILURE_REASONS, verifyDelivery } from '../../events/webhooks/verify.ts';
import { sendError } from '../plugins/errors.ts';
import { clientOf } from '../plugins/rate-limit.ts';
import { errorResponses, okResponse, oneOf } from '../schemas.ts';
import type { SdkParts } from './parts.ts';

const PAYLOAD_BYTES_MAX = 1_048_576;
/** A legal payload grows up to six times when every character is escaped; the rest is room for the other fields. */
const BODY_BYTES_MAX = 6 * PAYLOAD_BYTES_MAX + 1024 * 1024;
const TOO_LARGE = `payload: is larger than ${PAYLOAD_BYTES_MAX} bytes`;

const Body = Type.Object(
  {
    payload: Type.String({
      description: 'The raw body of the delivery, exactly as received; at most 1 MB of UTF-8.',
    }),
    headers: Type.Object(
      {
        id: Type.String({ description: 'Value of `wh-id`.' }),
        timestamp: Type.String({ description: 'Value of `wh-timestamp`.' }),
        signature: Type.String({ description: 'Value of `wh-signature`.' }),
      },
      { description: 'The three headers of the delivery.' },
    ),
    webhookSecret: Type.String({ description: 'The signing secret of the endpoint; starts with `whsec_`.' }),
  },
  {
    examples: [
      {
        payload: '{"event":"signup.created"}',
        headers: {
          id: 'evt_06e4zv2m5s9f1k7qj8x0c3r4td',
          timestamp: '1794735000',
          signature: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
        },
        webhookSecret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      },
    ],
  },
);

const schema = {
  operationId: 'verifyWebhook',
  tags: ['Webhooks'],
  summary: 'Verify a webhook delivery signature',
  description:
    'For callers without a Standard Webhooks library. A wrong secret or a forged signature is an answer, not an error. ' +
    'Act on a payload only when `verified` is true.',
  security: [],
  body: Body,
  response: {
    200: okResponse(
      'Whether the signature checks out.',
      Type.Object({
        verified: Type.Boolean(),
        event: Type.Optional(
          Type.Object(
            {},
            { additionalProperties: true, description: 'The payload, when verified and a JSON object.' },
          ),
        ),
        reason: Type.Optional(oneOf(FAILURE_REASONS, { description: 'Why it does not check out.' })),
      }),
      {
        verified: { verified: true, event: { event: 'signup.created' } },
        forged: { verified: false, reason: 'signature_mismatch' },
      },
    ),
    ...errorResponses('invalid_request', 'unsupported_media_type', 'rate_limited'),
  },
};

export function registerVerifyWebhook(app: FastifyInstance, { context, limits }: SdkParts): void {
  app.post('/webhooks/verify', {
    schema,
    bodyLimit: BODY_BYTES_MAX,
    onRequest: async (request, reply) => limits.verify.take(clientOf(request), reply),
    handler: async (request) => {
      const { payload, headers, webhookSecret: secret } = request.body as Static<typeof Body>;
      if (Buffer.byteLength(payload) > PAYLOAD_BYTES_MAX) throw invalid(TOO_LARGE);
      return verifyDelivery({ payload, headers, secret }, context.clock());
    },
    errorHandler: (error, request, reply) => {
      // However large a body is, this endpoint knows only one answer to it.
      const tooLarge = error.code === 'FST_ERR_CTP_BODY_TOO_LARGE';
      if (tooLarge) reply.header('connection', 'close');
      sendError(tooLarge ? invalid(TOO_LARGE) : error, request, reply, context.log);
    },
  });
}
