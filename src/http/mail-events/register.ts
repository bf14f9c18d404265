import { isUtf8 } from 'node:buffer';
import type { FastifyRequest } from 'fastify';
import { knownSharedNow } from '../../db/shared-clock.ts';
import { DoorlistError, invalid } from '../../lib/errors.ts';
import { mailEventKeys } from '../../waitlist/mail-events/mail-event-keys.ts';
import { recordMailEvents } from '../../waitlist/mail-events/record-mail-events.ts';
import type { GetText } from '../../webhooks/get.ts';
import { badJson, parseStrictJson } from '../../wire/parse-json.ts';
import { notJson, registerJsonBody } from '../plugins/body.ts';
import type { ReadBody } from '../plugins/body-reader.ts';
import { type HookParts, hookKeyOf, requireHookKey } from '../plugins/hook-key.ts';
import { clientOf } from '../plugins/rate-limit.ts';
import type { TypedApp } from '../typed-app.ts';
import { EVENTS_MAX, KEY_NEEDED, mailEventsSchema } from './schema.ts';
import type { Shape } from './shape.ts';
import { type ProviderName, providerShapes, SHAPE_NAMES } from './shapes.ts';
import { snsOpener } from './sns.ts';

/** The largest batch that a provider sends is that of SendGrid, with 768 KiB. */
const BODY_BYTES_MAX = 1024 * 1024;

export interface MailEventParts extends HookParts {
  readBody: ReadBody;
  /** Reads certificates of Amazon. */
  getText: GetText;
}

/** Where a mail provider reports what became of emails. */
export function registerMailEvents(app: TypedApp, parts: MailEventParts): void {
  const { context, readBody, failures } = parts;
  const shapes = providerShapes(snsOpener(parts.getText));

  const shapeOf = (request: Pick<FastifyRequest, 'query'>): Shape | undefined => {
    const name = shapeName(request);
    return name === 'plain' ? undefined : shapes[name];
  };

  app.register(async (scope: TypedApp) => {
    registerJsonBody(scope, readBody, readSigned);
    // Amazon SNS sends its JSON as text.
    scope.addContentTypeParser('text/plain', (request, payload, done) => {
      if ((request.query as { shape?: unknown }).shape !== 'ses') return done(notJson());
      readBody(request, payload, (error, body) => {
        if (error) return done(error);
        try {
          done(null, readSigned(body, request));
        } catch (problem) {
          done(problem as Error);
        }
      });
    });
    scope.post('/mail-events/v1/:key', {
      schema: mailEventsSchema,
      bodyLimit: BODY_BYTES_MAX,
      onRequest: (request, reply) =>
        requireHookKey(parts, mailEventKeys, request.params.key, KEY_NEEDED, request, reply),
      preValidation: async (request, reply) => {
        const shape = shapeOf(request);
        try {
          requireGenuine(request, shape, knownSharedNow(context));
          if (shape) await translate(request, shape);
        } catch (error) {
          if (error instanceof DoorlistError && error.code === 'unauthorized')
            failures.take(clientOf(request), reply);
          throw error;
        }
      },
      handler: async (request) => {
        const { queue } = hookKeyOf(request);
        const { events } = request.body;
        if (events.length > EVENTS_MAX) throw invalid(`events: must be at most ${EVENTS_MAX}`);
        return { accepted: await recordMailEvents(context, queue, events) };
      },
    });
  });
}

function shapeName({ query }: Pick<FastifyRequest, 'query'>): 'plain' | ProviderName {
  const { shape = 'plain' } = query as { shape?: string };
  const name = SHAPE_NAMES.find((one) => one === shape);
  if (!name) throw invalid(`shape: must be one of ${SHAPE_NAMES.join(', ')}`);
  return name;
}

/** Providers send what we would refuse, such as ids that are larger than a number can be. */
function readSigned(body: Buffer, request: FastifyRequest): unknown {
  request.signedBody = body;
  if (shapeName(request) === 'plain') return parseStrictJson(body);
  if (!isUtf8(body)) throw invalid('body: is not valid UTF-8');
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw badJson();
  }
}

/** A key with a secret takes only signed requests, so that the URL alone, which providers log, is no use. */
function requireGenuine(request: FastifyRequest, shape: Shape | undefined, now: number): void {
  const { signedBody: body = Buffer.alloc(0), headers } = request;
  const { secret } = hookKeyOf(request);
  if (secret === null) return;
  if (!shape?.isGenuine)
    throw new DoorlistError(
      'unauthorized',
      'this mail event key has a signing secret, but this shape is not signed with one: create another key',
    );
  if (!shape.isGenuine({ headers, body }, secret, now))
    throw new DoorlistError(
      'unauthorized',
      'the signature is wrong or too old: compare the signing secret with the provider',
    );
}

/** From here on, a provider's report is like any other. */
async function translate(request: FastifyRequest, shape: Shape): Promise<void> {
  const events = shape.read(shape.unwrap ? await shape.unwrap(request.body) : request.body);
  if (!events) throw invalid(`body: is not what ${shapeName(request)} sends`);
  request.body = { events };
}
