import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { knownSharedNow } from '../../db/shared-clock.ts';
import { DEFAULT_LANGUAGE, languageOf, textsIn } from '../../languages/languages.ts';
import type { Texts } from '../../languages/texts.ts';
import { notFound } from '../../lib/errors.ts';
import { type CodeOutcome, UNUSED_REASONS } from '../../waitlist/codes/named-codes.ts';
import { formOf, type LiveForm } from '../../waitlist/forms/form.ts';
import type { FieldProblem, Values } from '../../waitlist/forms/form-input.ts';
import { isWaitlistId } from '../../waitlist/queue/queue.ts';
import { WORD } from '../../wire/schema.ts';
import { Html, html } from '../docs/html.ts';
import {
  type Brand,
  type BrandedPage,
  brandedHtml,
  ownAttributes,
  sendBrandedPage,
} from '../pages/branded-page.ts';
import { lookOf } from '../pages/page.ts';
import { clientOf } from '../plugins/rate-limit.ts';
import { textsFor } from '../request-language.ts';
import type { TypedApp } from '../typed-app.ts';
import { CAPTCHA_SOURCES } from './captcha.ts';
import { codeText, formHtml } from './form-html.ts';
import { askToConfirm, canSend, type FormParts } from './form-parts.ts';
import { isClosed, presentPublicForm } from './public-form.ts';

const Params = Type.Object({ waitlistId: Type.String(WORD) });

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
    const { title, text } = askToConfirm(parts, queue, texts);
    const code = codeOf((request.query ?? {}) as Values);
    const said = code && codeText(texts, code);
    const content = html`<p>${text}</p>${typeof said === 'string' && html`<p>${said}</p>`}${nextLink(texts, queue.waitlist.name, settings.redirectUrl)}`;
    const brand = await lookOf(parts, queue);
    return sendBrandedPage(reply, { texts, brand, title, content, leadsTo: settings.redirectUrl });
  });
}

/** What the post that led here said about the code. */
function codeOf({ code }: Values): CodeOutcome | undefined {
  const reason = UNUSED_REASONS.find((each) => each === code);
  if (reason) return { used: false, reason };
  const places = typeof code === 'string' && /^[1-9]\d{0,8}$/.test(code) ? Number(code) : undefined;
  return places === undefined ? undefined : { used: true, places };
}

function nextLink({ join }: Texts, waitlist: string, next: string | null) {
  return (
    next !== null && html`<a class="button" href="${next}" rel="noreferrer">${join.continueTo(waitlist)}</a>`
  );
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
  /** What was probably meant by the email. */
  suggestion?: string | undefined;
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
  page: FormPage,
): Promise<string> {
  const { form, values, problems, suggestion, status = 200, notice, action } = page;
  const { settings } = form;
  const texts = textsFor(request, (values as { lang?: unknown }).lang);
  const brand = await lookOf(parts, form.queue);
  if (await isClosed(parts.context, form.queue))
    return sendBrandedPage(reply, closedPage(texts, brand, status));
  const usesScript = settings.captcha !== null || (status === 200 && (problems?.size ?? 0) === 0);
  const data = usesScript ? await presentPublicForm(parts, form, texts) : undefined;
  const now = knownSharedNow(parts.context);
  const after = canSend(parts, form.queue) ? texts.form.confirmByEmail : texts.errors.notEmailed;
  return sendBrandedPage(reply, {
    status,
    ...formPage({ form, texts, brand, values, problems, suggestion, now, action, notice, data, after }),
    script: data && (action === undefined ? '../form.js' : '../../form.js'),
    captchaSources: settings.captcha ? CAPTCHA_SOURCES[settings.captcha.provider] : undefined,
  });
}

function closedPage(texts: Texts, brand: Brand, status = 200): BrandedPage {
  const { title, text } = texts.form.closed;
  return { status, texts, brand, title, content: html`<p>${text}</p>`, listed: true };
}

interface ShownForm extends Pick<FormPage, 'form' | 'values' | 'suggestion'> {
  texts: Texts;
  brand: Brand;
  now: number;
  problems?: FormPage['problems'] | undefined;
  notice?: string | undefined;
  action?: string | undefined;
  /** For the component. */
  data?: object | undefined;
  after: string | null;
}

function formPage({ form, texts, brand, notice, data, ...shown }: ShownForm): BrandedPage {
  const { settings, key } = form;
  const { values, problems = new Map(), suggestion, now, action = `../form/v1/${key}`, after } = shown;
  const inner = formHtml({ form, texts, values, problems, suggestion, now, action, after });
  const own = settings.text === null ? html` dir="auto"` : ownAttributes(brand);
  const defaults = defaultTexts(texts, brand);
  const text = settings.text ?? defaults.text;
  return {
    texts,
    brand,
    title: settings.headline ?? defaults.headline,
    titleIsOwn: settings.headline !== null,
    description: text,
    content: html`<p class="text"${own}>${text}</p>
${notice !== undefined && html`<p class="notice bad" role="alert">${notice}</p>`}
${data ? html`<doorlist-form form-key="${key}" heading-level="1">${inner}<script type="application/json">${new Html(JSON.stringify(data).replaceAll('<', '\\u003c'))}</script></doorlist-form>` : inner}`,
    listed: true,
  };
}

function defaultTexts({ form }: Texts, brand: Brand): FormPagePreview['defaults'] {
  return { headline: form.title(brand.name), text: form.intro, buttonText: form.button };
}

interface FormPagePreview {
  html: string;
  /** What the page says where a setting is empty. */
  defaults: { headline: string; text: string; buttonText: string };
}

/** The page as a draft of its settings would make it, for operators. */
export async function previewFormPage(
  parts: Pick<FormParts, 'context' | 'publicUrl'>,
  form: LiveForm,
  changes: Partial<Brand>,
): Promise<FormPagePreview> {
  const { context } = parts;
  const brand = { ...(await lookOf(parts, form.queue)), ...changes };
  const texts = textsIn(languageOf(brand.language) ?? DEFAULT_LANGUAGE);
  const page = (await isClosed(context, form.queue))
    ? closedPage(texts, brand)
    : // Scripts do not run in the preview, but it looks as with them.
      formPage({ form, texts, brand, values: {}, now: knownSharedNow(context), after: null });
  // As tall as its content: the frame around it is as tall as the page.
  const html = brandedHtml(page).replace('</head>', '<style>body { min-height: 0; }</style></head>');
  return { html, defaults: defaultTexts(texts, brand) };
}
