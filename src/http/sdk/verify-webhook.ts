import type { FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import { knownSharedNow } from '../../db/shared-clock.ts';
import { invalid } from '../../lib/errors.ts';
import {
  FAILURE_REASONS,
  TOLERANCE_SECONDS,
  type Verification,
  verifyDelivery,
} from '../../webhooks/signing.ts';
import { WebhookEventSchema } from '../../wire/event.ts';
import { constant, exactlyOne, limits, named, oneOf, withExamples } from '../../wire/schema.ts';
import { registerJsonBody } from '../plugins/body.ts';
import { HttpError, sendError } from '../plugins/errors.ts';
import { clientOf } from '../plugins/rate-limit.ts';
import { errorResponses, okResponse } from '../responses.ts';
import type { TypedApp } from '../typed-app.ts';
import type { SdkParts } from './sdk-parts.ts';
import { parseVerifyBody } from './verify-body.ts';

const PAYLOAD_BYTES_MAX = 1_048_576;
/** A valid payload grows up to six times if every character is escaped. The rest is for the other fields. */
const BODY_BYTES_MAX = 6 * PAYLOAD_BYTES_MAX + 1024 * 1024;
/** Larger bodies count as more requests against the rate limit. */
const BYTES_PER_REQUEST = 128 * 1024;
const extraCost = (bytes: number) => Math.floor(bytes / BYTES_PER_REQUEST);
const TOO_LARGE = `payload: is larger than ${PAYLOAD_BYTES_MAX} bytes`;

/** What is too long is not an error: it cannot be verified. */
const ofBody = limits({ maxLength: BODY_BYTES_MAX });

const DeliveryHeaders = Type.Object(
  {
    id: Type.String({ ...ofBody, description: 'Value of the `wh-id` header.' }),
    timestamp: Type.String({
      ...ofBody,
      description: 'Value of the `wh-timestamp` header: a Unix time in seconds.',
    }),
    signature: Type.String({
      ...ofBody,
      description: 'Value of the `wh-signature` header: one or more `v1,` signatures, separated by spaces.',
    }),
  },
  {
    ...named('DeliveryHeaders'),
    description: 'The signature headers of the delivery. Other headers are ignored.',
  },
);

const VerificationRequest = Type.Object(
  {
    payload: Type.String({
      ...limits({ maxLength: PAYLOAD_BYTES_MAX }),
      description: 'The raw body of the delivery, exactly as you received it. At most 1 MiB of UTF-8.',
    }),
    headers: DeliveryHeaders,
    webhookSecret: Type.String({
      ...ofBody,
      description: 'The signing secret of the webhook endpoint, starting with `whsec_`.',
    }),
  },
  {
    ...named('VerificationRequest'),
    description: 'A delivery as you received it, and the secret to verify it with. Other fields are ignored.',
    ...withExamples({
      delivery: {
        summary: 'A delivery signed at 2026-11-15T09:30:00Z',
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

const VerificationSchema = exactlyOne(
  [
    Type.Object(
      {
        verified: constant(true, 'The delivery is genuine and recent.'),
        event: Type.Optional(
          Type.Union(
            [WebhookEventSchema, Type.Unsafe<object>({ type: 'object', additionalProperties: true })],
            {
              description: 'The parsed payload. Omitted if the payload is not a JSON object.',
            },
          ),
        ),
      },
      { ...named('VerifiedDelivery'), description: 'A delivery you can trust.' },
    ),
    Type.Object(
      {
        verified: constant(false, 'The delivery must not be trusted.'),
        reason: oneOf(FAILURE_REASONS, { description: 'Why verification failed.' }),
      },
      { ...named('UnverifiedDelivery'), description: 'A delivery to ignore.' },
    ),
  ],
  { ...named('Verification'), description: 'The result of a verification. Check `verified` first.' },
);

const schema = {
  operationId: 'verifyWebhook',
  tags: ['Webhooks'],
  summary: 'Verify a webhook delivery',
  description:
    'Verifies the signature of a delivery, for when you cannot use a Standard Webhooks library. ' +
    'A wrong secret or a forged signature is not an error: it returns 200 with `verified` set to `false`. ' +
    'Only act on the payload if `verified` is `true`. ' +
    `The timestamp can be up to ${TOLERANCE_SECONDS / 60} minutes in the past or the future. The signing secret takes the place of a server key. ` +
    'Each 128 KiB of the body counts as another request for the rate limit.',
  security: [],
  body: VerificationRequest,
  response: {
    200: okResponse({
      description: 'The result of the verification.',
      schema: VerificationSchema,
      examples: {
        verified: {
          summary: 'The delivery is genuine',
          value: { verified: true, event: { event: 'signup.created' } },
        },
        forged: {
          summary: 'The secret is wrong or the payload was changed',
          value: { verified: false, reason: 'signature_mismatch' },
        },
        stale: {
          summary: 'The delivery is too old',
          value: { verified: false, reason: 'timestamp_too_old' },
        },
      },
    }),
    ...errorResponses(['invalid_request', 'unsupported_media_type', 'rate_limited'], {
      invalid_request: {
        when: 'A field is missing or has the wrong type, or the payload is larger than 1 MiB.',
        message: 'headers.signature: is required',
      },
    }),
  },
};

/** Awaited, so that routes stay in the order of registration. */
export async function registerVerifyWebhook(
  app: TypedApp,
  { context, limits, readBody }: SdkParts,
): Promise<void> {
  const parse = (body: Buffer, request: FastifyRequest) => {
    const announced = request.headers['content-length'] !== undefined;
    if (!announced) limits.verify.take(clientOf(request), undefined, extraCost(body.length));
    return parseVerifyBody(body);
  };
  await app.register(async (scope: TypedApp) => {
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
        const { payload, headers, webhookSecret: secret } = request.body;
        if (Buffer.byteLength(payload) > PAYLOAD_BYTES_MAX) throw invalid(TOO_LARGE);
        const verification = verifyDelivery({ payload, headers, secret }, knownSharedNow(context));
        // Returned as it was signed: serializing it again would round its numbers and fail if it is deeply
        // nested.
        if (verification.verified && verification.isObject) {
          reply.type('application/json; charset=utf-8');
          reply.serializer(() => `{"verified":true,"event":${payload}}`);
        }
        return presentVerification(verification);
      },
      errorHandler: (error, request, reply) => {
        // Whatever the size of the body, this endpoint has only one response to it.
        const tooLarge = error instanceof HttpError && error.code === 'payload_too_large';
        sendError(tooLarge ? invalid(TOO_LARGE) : error, request, reply, context.log);
      },
    });
  });
}

function presentVerification(verification: Verification): Static<typeof VerificationSchema> {
  return verification.verified ? { verified: true } : { verified: false, reason: verification.reason };
}
