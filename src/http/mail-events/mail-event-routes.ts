import { isUtf8 } from 'node:buffer';
import type { FastifyRequest } from 'fastify';
import { knownSharedNow } from '../../db/shared-clock.ts';
import { DoorlistError, invalid } from '../../lib/errors.ts';
import { learn, madeFor, mailEventKeys, providerOf } from '../../waitlist/mail-events/mail-event-keys.ts';
import { MAIL_PROVIDERS, type MailProvider, providerOfSecret } from '../../waitlist/mail-events/providers.ts';
import { recordMailEvents } from '../../waitlist/mail-events/record-mail-events.ts';
import { badJson, parseStrictJson, refuseExcess } from '../../wire/parse-json.ts';
import { notJson, registerJsonBody } from '../plugins/body.ts';
import type { ReadBody } from '../plugins/body-reader.ts';
import { type HookParts, hookKeyOf, requireHookKey } from '../plugins/keys.ts';
import { clientOf } from '../plugins/rate-limit.ts';
import type { TypedApp } from '../typed-app.ts';
import { KEY_NEEDED, mailEventsSchema } from './mail-event-schema.ts';
import { BODY_BYTES_MAX, EVENTS_MAX } from './provider-reports.ts';
import type { Opened, Shape } from './report-shape.ts';
import { providerShapes } from './report-shapes.ts';
import type { OpenSns } from './sns.ts';

/** The largest batch that a provider sends is that of SendGrid, with 768 KiB. */

interface MailEventParts extends HookParts {
  readBody: ReadBody;
  openSns: OpenSns;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** What names a report whose signature was checked, and the topic that it came from. */
    genuine?: Pick<Opened, 'name' | 'topic'> | undefined;
  }
}

/** Where a mail provider reports what became of emails. */
export function registerMailEvents(app: TypedApp, parts: MailEventParts): void {
  const { context, readBody, failures } = parts;
  const shapes = providerShapes(parts.openSns);
  const shapeOf = (provider: MailProvider): Shape | undefined =>
    provider === 'plain' ? undefined : shapes[provider];

  app.register(async (scope: TypedApp) => {
    registerJsonBody(scope, readBody, readSigned);
    // Amazon SNS sends its JSON as text.
    scope.addContentTypeParser('text/plain', (request, payload, done) => {
      readBody(request, payload, (error, body) => {
        if (error) return done(error);
        try {
          if (reporterOf(request) !== 'ses') throw notJson();
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
        const shape = shapeOf(reporterOf(request));
        const now = knownSharedNow(context);
        try {
          requireGenuine(request, shape, now);
          if (shape) await translate(request, shape, now);
        } catch (error) {
          if (error instanceof DoorlistError && error.code === 'unauthorized')
            failures.take(clientOf(request), reply);
          throw error;
        }
      },
      handler: async (request) => {
        const { events } = request.body;
        if (events.length > EVENTS_MAX) throw invalid(`events: must be at most ${EVENTS_MAX}`);
        const { name, topic } = request.genuine ?? {};
        const key = hookKeyOf(request);
        if (events.length > 0 || topic !== undefined)
          await learn(context, key, { provider: reporterOf(request), topic });
        return { accepted: await recordMailEvents(context, key.queue, events, { name }) };
      },
    });
  });
}

/** A key is made for one provider, so that nobody can report in the words of another. */
function reporterOf(request: FastifyRequest): MailProvider {
  const { shape } = request.query as { shape?: string };
  const named = MAIL_PROVIDERS.find((one) => one === shape);
  if (shape !== undefined && !named) throw invalid(`shape: must be one of ${MAIL_PROVIDERS.join(', ')}`);
  const key = hookKeyOf(request);
  const provider = providerOf(key) ?? (key.secret === null ? null : providerOfSecret(key.secret));
  if (provider !== null && named !== undefined && named !== provider) throw madeFor(provider);
  return provider ?? named ?? 'plain';
}

/** Providers send what we would refuse, such as ids that are larger than a number can be. */
function readSigned(body: Buffer, request: FastifyRequest): unknown {
  request.signedBody = body;
  if (reporterOf(request) === 'plain') return parseStrictJson(body);
  if (!isUtf8(body)) throw invalid('body: is not valid UTF-8');
  const text = body.toString('utf8');
  refuseExcess(text);
  try {
    return JSON.parse(text);
  } catch {
    throw badJson();
  }
}

/** A key with a secret takes only signed requests, so that the URL alone, which providers log, is no use. */
function requireGenuine(request: FastifyRequest, shape: Shape | undefined, now: number): void {
  const { signedBody: body = Buffer.alloc(0), headers } = request;
  const { secret } = hookKeyOf(request);
  if (secret === null) return;
  const name = shape?.verify?.({ headers, body }, secret, now);
  if (name === undefined)
    throw new DoorlistError(
      'unauthorized',
      'the signature is wrong or too old: compare the signing secret with the provider',
    );
  request.genuine = { name };
}

/** From here on, a provider's report is like any other. */
async function translate(request: FastifyRequest, shape: Shape, now: number): Promise<void> {
  let { body } = request;
  if (shape.open) {
    const key = hookKeyOf(request);
    const expected = { topic: key.own.topic ?? null, learns: providerOf(key) === null, now };
    const { content, ...genuine } = await shape.open(body, expected);
    request.genuine = genuine;
    body = content;
  }
  const events = shape.read(body);
  if (!events) throw invalid(`body: is not what ${reporterOf(request)} sends`);
  request.body = { events };
}
