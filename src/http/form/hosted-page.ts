import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { knownSharedNow } from '../../db/shared-clock.ts';
import type { Texts } from '../../languages/texts.ts';
import { notFound } from '../../lib/errors.ts';
import { formOf, type LiveForm } from '../../waitlist/forms/form.ts';
import type { FieldProblem, Values } from '../../waitlist/forms/form-input.ts';
import { isWaitlistId } from '../../waitlist/queue/queue.ts';
import { Html, html } from '../docs/html.ts';
import { ownAttributes, sendBrandedPage } from '../pages/branded-page.ts';
import { lookOf } from '../pages/look.ts';
import { clientOf } from '../plugins/rate-limit.ts';
import type { TypedApp } from '../typed-app.ts';
import { CAPTCHA_SOURCES } from './captcha.ts';
import { formHtml } from './form-html.ts';
import { type FormParts, textsFor } from './parts.ts';
import { isClosed, presentPublicForm } from './public-form.ts';

const Params = Type.Object({ waitlistId: Type.String() });

/** The signup page that we host, and where people land after joining without scripts. */
export function registerHostedPage(app: TypedApp, parts: FormParts): void {
  const route = {
    schema: { hide: true, params: Params },
    onRequest: async (request: FastifyRequest, reply: FastifyReply) =>
      parts.reading.take(clientOf(request), reply),
  };
  app.get('/w/:waitlistId', route, async (request, reply) => {
    const form = await requireForm(parts, request, request.params.waitlistId);
    // Consent is given by people, not by links.
    const { consent: _, ...values } = request.query as Values;
    return sendFormPage(parts, request, reply, { form, values });
  });
  app.get('/w/:waitlistId/thanks', route, async (request, reply) => {
    const { queue, settings } = await requireForm(parts, request, request.params.waitlistId);
    const texts = textsFor(request);
    const { title, content } = thanks(texts, queue.waitlist.name, settings.redirectUrl);
    const brand = await lookOf(parts.context, queue);
    return sendBrandedPage(reply, { texts, brand, title, content, leadsTo: settings.redirectUrl });
  });
}

function thanks({ joined, join }: Texts, waitlist: string, next: string | null) {
  const on =
    next !== null && html`<a class="button" href="${next}" rel="noreferrer">${join.continueTo(waitlist)}</a>`;
  return { title: joined.checkInboxTitle, content: html`<p>${joined.checkInbox(waitlist)}</p>${on}` };
}

async function requireForm(
  { context }: FormParts,
  { query }: FastifyRequest,
  waitlistId: string,
): Promise<LiveForm> {
  const { environment = 'production' } = (query ?? {}) as { environment?: unknown };
  const queue =
    isWaitlistId(waitlistId) && typeof environment === 'string'
      ? await context.registry.queue(waitlistId, environment)
      : undefined;
  const form = queue && (await formOf(context, queue));
  if (!form?.enabled || form.key === null) throw notFound('there is no such page');
  return { ...form, key: form.key };
}

interface FormPage {
  form: LiveForm;
  values: Values;
  problems?: ReadonlyMap<string, FieldProblem>;
  status?: number;
  /** What went wrong, above the form. */
  notice?: string;
  /** Relative to `/form/v1/…`, for pages that answer a post. */
  action?: string;
}

/**
 * With scripts, the component takes the place of the form inside it. Without them, problems stay where the server
 * marked them.
 */
export async function sendFormPage(
  parts: FormParts,
  request: FastifyRequest,
  reply: FastifyReply,
  { form, values, problems = new Map(), status = 200, notice, action }: FormPage,
): Promise<string> {
  const { context } = parts;
  const { queue, settings, key } = form;
  const texts = textsFor(request, (values as { lang?: unknown }).lang);
  const brand = await lookOf(context, queue);
  if (await isClosed(context, queue)) {
    const { title, text } = texts.form.closed;
    return sendBrandedPage(reply, {
      status,
      texts,
      brand,
      title,
      content: html`<p>${text}</p>`,
      listed: true,
    });
  }
  const inner = formHtml({
    form,
    texts,
    values,
    problems,
    now: knownSharedNow(context),
    action: action ?? `../form/v1/${key}`,
  });
  const usesScript = settings.captcha !== null || (status === 200 && problems.size === 0);
  const data = usesScript ? await presentPublicForm(context, form, texts) : undefined;
  return sendBrandedPage(reply, {
    status,
    texts,
    brand,
    title: settings.headline ?? texts.form.title(brand.name),
    titleIsOwn: settings.headline !== null,
    content: html`<p class="text"${settings.text === null ? html` dir="auto"` : ownAttributes(brand)}>${settings.text ?? texts.form.intro}</p>
${notice !== undefined && html`<p class="notice bad" role="alert">${notice}</p>`}
${data ? html`<doorlist-form form-key="${key}" heading-level="1">${inner}<script type="application/json">${new Html(JSON.stringify(data).replaceAll('<', '\\u003c'))}</script></doorlist-form>` : inner}`,
    script: data && (action === undefined ? '../form.js' : '../../form.js'),
    captchaSources: settings.captcha ? CAPTCHA_SOURCES[settings.captcha.provider] : undefined,
    listed: true,
  });
}
