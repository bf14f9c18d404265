import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { knownSharedNow } from '../../db/shared-clock.ts';
import { DoorlistError, invalid } from '../../lib/errors.ts';
import { MINUTE_MS } from '../../lib/time.ts';
import { type GateDecision, type GateInput, passGate } from '../../waitlist/gate/pass-gate.ts';
import { gateKeys } from '../../waitlist/keys/hook-keys.ts';
import type { Context } from '../../waitlist/queue/context.ts';
import { parseStrictJson } from '../../wire/parse-json.ts';
import { registerJsonBody } from '../plugins/body.ts';
import type { ReadBody } from '../plugins/body-reader.ts';
import { closeUnread, sendError, toWire } from '../plugins/errors.ts';
import { type HookParts, hookKeyOf, requireHookKey } from '../plugins/keys.ts';
import { clientOf } from '../plugins/rate-limit.ts';
import { readIdempotencyKey } from '../sdk/sdk-parts.ts';
import type { TypedApp } from '../typed-app.ts';
import { DENIALS, type GateAnswerSchema, gateSchema, KEY_NEEDED } from './gate-schema.ts';
import { BODY_BYTES_MAX } from './provider-questions.ts';
import { findShape, type GateAnswer, type Question, SHAPE_NAMES, type Shape } from './question-shapes.ts';

/** Room for the metadata that a provider sends along. */
const DENIED_STATUS = 403;
/** Longer than a provider repeats a request. */
const BROWSER_STATE_MS = 10 * MINUTE_MS;
const UNKNOWN = 'Your invite could not be checked. Try again in a moment.';

interface GateParts extends HookParts {
  readBody: ReadBody;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** What makes this the same request when the provider repeats it, and for how long. */
    repetition?: Pick<GateInput, 'idempotencyKey' | 'repeatableMs'>;
  }
}

type GateQuery = { shape?: string };

/** The hook that a product's sign-up asks. It answers no unless it knows that the person was invited. */
export function registerGate(app: TypedApp, parts: GateParts): void {
  const { context, readBody, failures } = parts;
  app.register(async (scope: TypedApp) => {
    registerJsonBody(scope, readBody, (body, request) => {
      request.signedBody = body;
      return parseStrictJson(body);
    });
    scope.post('/gate/v1/:gateKey', {
      schema: gateSchema,
      bodyLimit: BODY_BYTES_MAX,
      onRequest: (request, reply) =>
        requireHookKey(parts, gateKeys, request.params.gateKey, KEY_NEEDED, request, reply),
      preValidation: async (request, reply) => {
        const shape = shapeOf(request);
        const refusal = refuseUnsigned(request, shape, knownSharedNow(context));
        if (refusal !== undefined) {
          failures.take(clientOf(request), reply);
          throw new DoorlistError('unauthorized', refusal);
        }
        if (shape) translate(request, shape.read(request.body));
      },
      handler: async (request, reply) => {
        const { queue } = hookKeyOf(request);
        const repetition = request.repetition ?? {
          idempotencyKey: readIdempotencyKey(request.headers['idempotency-key']),
        };
        const decision = await passGate(context, queue, { ...request.body, ...repetition });
        const shape = shapeOf(request);
        if (!shape) return presentDecision(decision);
        // The schema describes only the plain body.
        return reply.send(presentFor(shape, request, answerOf(decision), knownSharedNow(context)) as never);
      },
      errorHandler: (error, request, reply) => answerError(context, error, request, reply),
    });
  });
}

function shapeOf({ query }: Pick<FastifyRequest, 'query'>): Shape | undefined {
  const { shape: name } = query as GateQuery;
  if (name === undefined) return undefined;
  const shape = findShape(String(name));
  if (!shape) throw invalid(`shape: must be one of ${SHAPE_NAMES.join(', ')}`);
  return shape;
}

/** A key with a secret takes only signed requests, so that the URL alone, which providers log, is no use. */
function refuseUnsigned(request: FastifyRequest, shape: Shape | undefined, now: number): string | undefined {
  const { hookKey, signedBody: body = Buffer.alloc(0), headers } = request;
  const secret = hookKey?.secret ?? null;
  if (secret === null)
    return shape?.isGenuine && 'this gate key has no signing secret: add the one that the provider shows';
  if (!shape?.isGenuine)
    return 'this gate key has a signing secret, but this shape is not signed: create another key';
  if (!shape.isGenuine({ headers, body }, secret, now))
    return 'the signature is wrong, or older than a few minutes: compare the signing secret with the provider';
}

/** From here on, a provider's question is like any other. */
function translate(request: FastifyRequest, { email, code, requestId, browserState }: Question): void {
  request.body = {
    ...(email === undefined || email === null ? {} : { email }),
    ...(code === undefined || code === null || code === '' ? {} : { code }),
  };
  if (isText(requestId)) request.repetition = { idempotencyKey: requestId };
  else if (isText(browserState) && isText(email))
    request.repetition = {
      idempotencyKey: JSON.stringify([browserState, email]),
      repeatableMs: BROWSER_STATE_MS,
    };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function presentDecision(decision: GateDecision): Static<typeof GateAnswerSchema> {
  if (!decision.allow) return { ...decision, message: DENIALS[decision.reason] };
  return decision.entryId === null ? { allow: true } : { allow: true, entryId: decision.entryId };
}

function answerOf(decision: GateDecision): GateAnswer {
  return decision.allow
    ? decision
    : { ...decision, status: DENIED_STATUS, message: DENIALS[decision.reason] };
}

function presentFor(shape: Shape, { hookKey }: FastifyRequest, answer: GateAnswer, now: number): object {
  return shape.present(answer, hookKey?.secret ?? '', now);
}

/** A provider cannot show our errors to people, so it gets a refusal. Only a wrong key or signature is an error. */
function answerError(context: Context, error: Error, request: FastifyRequest, reply: FastifyReply): void {
  const { shape: name = '' } = request.query as GateQuery;
  const shape = findShape(String(name));
  const isUnauthorized = error instanceof DoorlistError && error.code === 'unauthorized';
  const canSign = shape?.signsAnswers === undefined || request.hookKey?.secret;
  if (!shape || isUnauthorized || !canSign) {
    sendError(error, request, reply, context.log);
    return;
  }
  const { status, code, message } = toWire(error, context.log, request.id);
  const isTheirs = status < 500 && code !== 'rate_limited';
  const answer: GateAnswer = {
    allow: false,
    reason: 'not_invited',
    status,
    message: isTheirs ? message : UNKNOWN,
  };
  closeUnread(request, reply);
  reply.code(200).send(presentFor(shape, request, answer, knownSharedNow(context)));
}
