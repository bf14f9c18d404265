import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { DoorlistError, notFound } from '../../lib/errors.ts';
import { findForm, type LiveForm } from '../../waitlist/forms/form.ts';
import { WORD } from '../../wire/schema.ts';
import { html } from '../docs/html.ts';
import { sendBrandedPage } from '../pages/branded-page.ts';
import { registerJsonBody } from '../plugins/body.ts';
import { closeUnread, sendError } from '../plugins/errors.ts';
import { clientOf, type RateLimiter } from '../plugins/rate-limit.ts';
import { STATUS } from '../problem.ts';
import { textsFor } from '../request-language.ts';
import type { TypedApp } from '../typed-app.ts';
import { registerPictures, registerScripts } from './assets.ts';
import type { FormParts } from './form-parts.ts';
import { registerHostedPage } from './hosted-page.ts';
import { ANSWER_MS, handlePost, hostedPath, isAllowedOrigin, isFromScript, UnknownFields } from './post.ts';
import { presentPublicForm } from './public-form.ts';
import { registerStatusPage } from './status-page.ts';

const BODY_BYTES_MAX = 32 * 1024;
const PREFLIGHT_SECONDS = '86400';
const Params = Type.Object({ formKey: Type.String(WORD) });

/** The public form, its script and its pages: for people without any credentials. */
export function registerForms(app: FastifyInstance, parts: FormParts): void {
  app.register(async (scope: TypedApp) => {
    scope.setErrorHandler((error: Error, request, reply) => sendProblem(parts, error, request, reply));
    registerScripts(scope, parts);
    registerHostedPage(scope, parts);
    registerPictures(scope, parts);
    registerEndpoints(scope, parts);
  });
  app.register(async (scope: TypedApp) => {
    scope.removeAllContentTypeParsers();
    // The URL alone determines what the buttons of these pages do.
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, done) => done(null, undefined));
    scope.setErrorHandler((error: Error, request, reply) => sendProblem(parts, error, request, reply));
    registerStatusPage(scope, parts);
  });
}

function registerEndpoints(app: TypedApp, parts: FormParts): void {
  const { context, readBody } = parts;
  registerJsonBody(app, readBody);
  app.addContentTypeParser('application/x-www-form-urlencoded', (request, payload, done) => {
    readBody(request, payload, (error, body) =>
      error ? done(error) : done(null, Object.fromEntries(new URLSearchParams(body.toString()))),
    );
  });
  const route = (limiter: RateLimiter) => ({
    schema: { hide: true, params: Params },
    bodyLimit: BODY_BYTES_MAX,
    onRequest: async (request: FastifyRequest, reply: FastifyReply) => {
      const { formKey } = request.params as { formKey: string };
      const form = await findForm(context, formKey);
      if (form) allowOrigin(parts, request, reply, form);
      await take(parts, request, reply, { limiter, form });
      if (!form) throw notFound('there is no such form');
      request.form = form;
    },
  });
  app.get('/form/v1/:formKey', route(parts.reading), async (request, reply) => {
    const form = request.form as LiveForm;
    const texts = textsFor(request);
    // Somebody opened the address of a page that answered a post.
    if (!isFromScript(request)) return reply.redirect(hostedPath(form.queue, '', texts.tag));
    return presentPublicForm(parts, form, texts);
  });
  app.post('/form/v1/:formKey', route(parts.post), async (request, reply) =>
    handlePost(parts, request, reply, request.form as LiveForm),
  );
  app.options('/form/v1/:formKey', route(parts.reading), async (_request, reply) => {
    reply.code(204).headers({
      'access-control-allow-methods': 'GET, POST',
      'access-control-allow-headers': 'content-type, accept',
      'access-control-max-age': PREFLIGHT_SECONDS,
    });
  });
}

function allowOrigin(parts: FormParts, request: FastifyRequest, reply: FastifyReply, form: LiveForm): void {
  const { origin } = request.headers;
  reply.header('vary', 'origin');
  if (origin === undefined) return;
  if (!isAllowedOrigin(parts, request, form, origin)) {
    parts.refusals.noteOrigin(form.queue, origin);
    return;
  }
  reply.headers({
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'retry-after, ratelimit, ratelimit-policy, x-request-id',
  });
}

async function take(
  { refusals }: FormParts,
  request: FastifyRequest,
  reply: FastifyReply,
  { limiter, form }: { limiter: RateLimiter; form: LiveForm | undefined },
): Promise<void> {
  try {
    limiter.take(clientOf(request), reply);
  } catch (error) {
    if (form) refusals.note(form.queue, 'rate_limited');
    await pause(ANSWER_MS, undefined, { ref: false });
    throw error;
  }
}

function sendProblem(parts: FormParts, error: Error, request: FastifyRequest, reply: FastifyReply): void {
  if (error instanceof UnknownFields) {
    const fields = Object.fromEntries(error.fields.map((name) => [name.slice(0, 64), 'unknown field']));
    const message = `${Object.keys(fields).join(', ')}: unknown field`;
    reply.code(422).send({ code: 'invalid_fields', message, fields });
    return;
  }
  const isPage = !request.url.startsWith('/form/') || request.method === 'POST';
  if (!(error instanceof DoorlistError) || !isPage || isFromScript(request)) {
    sendError(error, request, reply, parts.context.log);
    return;
  }
  closeUnread(request, reply);
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', String(error.retryAfterSeconds));
  const texts = textsFor(request);
  const { title, text } = noticeFor(texts.errors, texts.form.closed, error.code);
  reply.send(
    sendBrandedPage(reply, {
      status: STATUS[error.code],
      texts,
      title,
      content: html`<p>${text}</p>`,
    }),
  );
}

function noticeFor(
  errors: ReturnType<typeof textsFor>['errors'],
  closed: ReturnType<typeof textsFor>['form']['closed'],
  code: DoorlistError['code'],
): { title: string; text: string } {
  if (code === 'not_found') return errors.notFound;
  if (code === 'waitlist_closed') return closed;
  if (code === 'rate_limited') return { title: errors.title, text: errors.rateLimited };
  if (code === 'unavailable') return { title: errors.title, text: errors.unavailable };
  return { title: errors.title, text: errors.other };
}
