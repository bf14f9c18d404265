import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import { invalid } from '../../errors.ts';
import { FAILURE_REASONS, TOLERANCE_SECONDS, verifyDelivery } from '../../events/webhooks/verify.ts';
import { registerJsonBody } from '../plugins/body.ts';
import { HttpError, sendError } from '../plugins/errors.ts';
import { clientOf } from '../plugins/rate-limit.ts';
import { errorResponses, okResponse } from '../responses.ts';
import { oneOf, withExamples } from '../schemas.ts';
import type { SdkParts } from './parts.ts';
import { parseVerifyBody } from './verify-body.ts';

const PAYLOAD_BYTES_MAX = 1_048_576;
/** A legal payload grows up to six times when every character is escaped; the rest is room for the other fields. */
const BODY_BYTES_MAX = 6 * PAYLOAD_BYTES_MAX + 1024 * 1024;
/** What a body costs of the rate limit beside its one request, by its size. */
const BYTES_PER_REQUEST = 128 * 1024;
const extraCost = (bytes: number) => Math.floor(bytes / BYTES_PER_REQUEST);
const TOO_LARGE = `payload: is larger than ${PAYLOAD_BYTES_MAX} bytes`;

const Body = Type.Object(
  {
    payload: Type.String({
      description: 'The raw body of the delivery, exactly as received; at most 1 MiB of UTF-8.',
    }),
    headers: Type.Object(
      {
        id: Type.String({ description: 'Value of the header `wh-id`.' }),
        timestamp: Type.String({ description: 'Value of `wh-timestamp`: seconds since 1970.' }),
        signature: Type.String({
          description: 'Value of `wh-signature`: signatures starting with `v1,`, separated by spaces.',
        }),
      },
      { additionalProperties: false, description: 'The three headers of the delivery.' },
    ),
    webhookSecret: Type.String({ description: 'The signing secret of the endpoint; starts with `whsec_`.' }),
  },
  {
    additionalProperties: false,
    ...withExamples({
      delivery: {
        summary: 'Signed at 2026-11-15T09:30:00Z, and good for five minutes around it.',
        value: {
          payload: '{"event":"signup.created"}',
          headers: {
            id: 'evt_06gxx2p9r1yn1vp1ryss481fhw',
            timestamp: '1794735000',
            signature: 'v1,bJIxMqLVIXNF9qmPBl2md2JPIFYPoT4Q9bobZbzr1LY=',
          },
          webhookSecret: 'whsec_YW4gZXhhbXBsZSBzZWNyZXQsIG5vdCBhIHJlYWwgb25l',
        },
      },
    }),
  },
);

const schema = {
  operationId: 'verifyWebhook',
  tags: ['Webhooks'],
  summary: 'Verify a webhook delivery signature',
  description:
    'Checks a delivery by the Standard Webhooks scheme, for callers without a library that does. ' +
    'A wrong secret or a forged signature is an answer, not an error: act on a payload only when `verified` is true. ' +
    `The timestamp may be off by ${TOLERANCE_SECONDS} seconds either way. Needs no server key: the signing secret is the proof. A large body counts as several requests of the rate limit: one more for each 128 KiB.`,
  security: [],
  body: Body,
  response: {
    200: okResponse({
      description: 'Whether the signature checks out.',
      schema: Type.Object({
        verified: Type.Boolean({ description: 'Whether the delivery is genuine and fresh.' }),
        event: Type.Optional(
          Type.Object(
            {},
            {
              additionalProperties: true,
              description: 'The parsed payload; present when verified and a JSON object.',
            },
          ),
        ),
        reason: Type.Optional(
          oneOf(FAILURE_REASONS, { description: 'Why it does not check out; present when not verified.' }),
        ),
      }),
      examples: {
        verified: {
          summary: 'The delivery is genuine.',
          value: { verified: true, event: { event: 'signup.created' } },
        },
        forged: {
          summary: 'Another secret, or other bytes than were signed.',
          value: { verified: false, reason: 'signature_mismatch' },
        },
        stale: {
          summary: 'Genuine once, but too long ago.',
          value: { verified: false, reason: 'timestamp_too_old' },
        },
      },
    }),
    ...errorResponses(['invalid_request', 'unsupported_media_type', 'rate_limited'], {
      invalid_request: {
        when: 'A field is missing, unknown or of the wrong type, or the payload is larger than 1 MiB.',
        message: 'headers.signature: is required',
      },
    }),
  },
};

export function registerVerifyWebhook(app: FastifyInstance, { context, limits, readBody }: SdkParts): void {
  const parse = (body: Buffer, request: FastifyRequest) => {
    const announced = request.headers['content-length'] !== undefined;
    if (!announced) limits.verify.take(clientOf(request), undefined, extraCost(body.length));
    return parseVerifyBody(body);
  };
  app.register(async (scope) => {
    registerJsonBody(scope, readBody, parse);
    scope.post('/webhooks/verify', {
      schema,
      bodyLimit: BODY_BYTES_MAX,
      onRequest: async (request, reply) =>
        limits.verify.take(
          clientOf(request),
          reply,
          1 + extraCost(Number(request.headers['content-length'] ?? 0)),
        ),
      handler: async (request, reply) => {
        const { payload, headers, webhookSecret: secret } = request.body as Static<typeof Body>;
        if (Buffer.byteLength(payload) > PAYLOAD_BYTES_MAX) throw invalid(TOO_LARGE);
        const verification = verifyDelivery({ payload, headers, secret }, context.clock());
        if (!verification.verified) return verification;
        if (!verification.isObject) return { verified: true };
        // Passed on as it was signed: to write it anew would round its numbers, and fail where it is nested deep.
        reply.type('application/json; charset=utf-8');
        return `{"verified":true,"event":${payload}}`;
      },
      errorHandler: (error, request, reply) => {
        // However large a body is, this endpoint knows only one answer to it.
        const tooLarge = error instanceof HttpError && error.code === 'payload_too_large';
        sendError(tooLarge ? invalid(TOO_LARGE) : error, request, reply, context.log);
      },
    });
  });
}
