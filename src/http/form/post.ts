import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DoorlistError, invalid } from '../../lib/errors.ts';
import { awaitedLater } from '../../lib/promises.ts';
import type { CodeOutcome } from '../../waitlist/codes/named-codes.ts';
import type { LiveForm } from '../../waitlist/forms/form.ts';
import { type FieldProblem, lineOf, type Values } from '../../waitlist/forms/form-input.ts';
import { type FormJoin, joinByForm, Refused } from '../../waitlist/forms/join-by-form.ts';
import { personStatus } from '../../waitlist/forms/person-status.ts';
import { isObject } from '../../waitlist/people/person.ts';
import type { Queue } from '../../waitlist/queue/queue.ts';
import { closeUnread } from '../plugins/errors.ts';
import { textsFor } from '../request-language.ts';
import { checkPost, HONEYPOT } from './check-post.ts';
import { codeText, problemText } from './form-html.ts';
import { type FormParts, isOwnOrigin } from './form-parts.ts';
import { sendFormPage } from './hosted-page.ts';
import { presentStatus } from './present-status.ts';

const UNKNOWN_NAMED = 10;
/** Fields that every form has. */
const OWN_FIELDS = [
  ...['email', 'ref', 'token', 'proof', 'captcha', 'consent', 'lang', 'include', HONEYPOT],
  ...['suggestedFor', 'correctedEmail', 'code'],
];

/**
 * Longer than joining takes: the time of the answer must not tell whether the address was known. What is
 * refused waits as long, so that bots that wait for answers cannot send many.
 */
export const ANSWER_MS = 100;

/** Handles a form that was sent: JSON for scripts, pages and redirects for browsers without them. */
export async function handlePost(
  parts: FormParts,
  request: FastifyRequest,
  reply: FastifyReply,
  form: LiveForm,
): Promise<unknown> {
  if (!isObject(request.body)) throw invalid('body: must be a JSON object');
  const values = withCorrection(request.body);
  const asJson = isFromScript(request);
  try {
    checkOrigin(parts, request, form, asJson);
    if (!asJson && lineOf(values.token) === '' && lineOf(values.proof) === '')
      return askAgain(parts, request, reply, form, values);
    if (isJsonBody(request)) checkNames(form, values);
    const checked = await checkPost(parts, request, reply, { form, values, proofRequired: asJson });
    if ('problems' in checked) return tellProblems(parts, request, reply, { form, values, ...checked });
    const due = awaitedLater(pause(ANSWER_MS, undefined, { ref: false }));
    const joined = await joinByForm(parts.context, form.queue, checked.post);
    const answer = await presentJoin(parts, request, joined, lineOf(values.include) === 'status');
    await due;
    return asJson ? answer : goOn(request, reply, form, joined.code);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    parts.refusals.note(form.queue, error.reason);
    await pause(ANSWER_MS, undefined, { ref: false });
    closeUnread(request, reply);
    if (asJson) throw new DoorlistError('refused', 'this request was refused');
    const { form: words, stop } = textsFor(request, values.lang);
    const notice =
      error.reason === 'origin' ? words.wrongSite : words.refused.title + stop + words.refused.text;
    return sendFormPage(parts, request, reply, { form, values, status: 403, notice, action: form.key });
  }
}

function isJsonBody({ headers }: FastifyRequest): boolean {
  return headers['content-type']?.startsWith('application/json') ?? false;
}

/** Browsers that follow a link or send a form accept pages. */
export function isFromScript(request: FastifyRequest): boolean {
  return isJsonBody(request) || !request.headers.accept?.includes('text/html');
}

/** A browser that hides the origin may still send a form that our own page showed: its token says so. */
function checkOrigin(parts: FormParts, request: FastifyRequest, form: LiveForm, asJson: boolean): void {
  const { origin } = request.headers;
  if (origin === undefined || (origin === 'null' && !asJson)) return;
  if (!isAllowedOrigin(parts, request, form, origin)) throw new Refused('origin');
}

export function isAllowedOrigin(
  { publicUrl }: FormParts,
  request: FastifyRequest,
  { settings }: LiveForm,
  origin: string,
): boolean {
  return settings.allowedOrigins.includes(origin) || isOwnOrigin(publicUrl, origin, request);
}

function checkNames({ settings }: LiveForm, values: Values): void {
  const known = [...OWN_FIELDS, ...settings.fields.map(({ name }) => name)];
  const unknown = Object.keys(values).filter((name) => !known.includes(name) && !name.startsWith('utm_'));
  if (unknown.length > 0) throw new UnknownFields(unknown.slice(0, UNKNOWN_NAMED));
}

/** For developers: a page never sends these. */
export class UnknownFields extends Error {
  override name = 'UnknownFields';
  readonly fields: readonly string[];
  constructor(fields: readonly string[]) {
    super('unknown fields');
    this.fields = fields;
  }
}

/** A form on a page without our script has no token: people see it once more, filled in, and send it from here. */
function askAgain(
  parts: FormParts,
  request: FastifyRequest,
  reply: FastifyReply,
  form: LiveForm,
  values: Values,
): Promise<string> {
  if (lineOf(values[HONEYPOT]) !== '') throw new Refused('honeypot');
  return sendFormPage(parts, request, reply, { form, values, action: form.key });
}

/** Without scripts, the button of a suggestion sends it beside the field. */
function withCorrection(body: Values): Values {
  const corrected = lineOf(body.correctedEmail);
  return corrected === '' ? body : { ...body, email: corrected, suggestedFor: corrected };
}

interface Told {
  form: LiveForm;
  values: Values;
  problems: ReadonlyMap<string, FieldProblem>;
  suggestion: string | undefined;
}

function tellProblems(
  parts: FormParts,
  request: FastifyRequest,
  reply: FastifyReply,
  { form, values, problems, suggestion }: Told,
): Promise<string> | object {
  const texts = textsFor(request, values.lang);
  const summary = texts.form.problems.summary(problems.size);
  if (!isFromScript(request))
    return sendFormPage(parts, request, reply, {
      form,
      values,
      problems,
      suggestion,
      status: 422,
      notice: summary,
      action: form.key,
    });
  const fields = [...problems].map(([name, problem]) => [name, problemText(texts, problem, suggestion)]);
  reply.code(422);
  const answer = { code: 'invalid_fields', message: summary, fields: Object.fromEntries(fields) };
  return suggestion === undefined ? answer : { ...answer, suggestions: { email: suggestion } };
}

/** 303, so that a reload does not send the form again. That page leads on to the waitlist's own, if it has one. */
function goOn(
  request: FastifyRequest,
  reply: FastifyReply,
  { queue }: LiveForm,
  code: CodeOutcome | undefined,
): FastifyReply {
  const { tag } = textsFor(request, ((request.body ?? {}) as Values).lang);
  const told = code === undefined ? '' : `&code=${code.used ? code.places : code.reason}`;
  return reply.redirect(hostedPath(queue, '/thanks', tag) + told, 303);
}

/** From the endpoint to a page that we host. */
export function hostedPath({ waitlist, environment }: Queue, page: string, tag: string): string {
  const where = environment === 'production' ? '' : `&environment=${environment}`;
  return `../../w/${waitlist.id}${page}?lang=${tag}${where}`;
}

async function presentJoin(
  parts: FormParts,
  request: FastifyRequest,
  { state: joined, visit, code }: FormJoin,
  withStatus: boolean,
): Promise<object> {
  const texts = textsFor(request, ((request.body ?? {}) as Values).lang);
  const state = { state: joined, ...(code && { codeResult: { ...code, text: codeText(texts, code) } }) };
  if (visit === null) return state;
  const statusUrl = `${parts.publicUrl}/s/${visit}`;
  const person = withStatus ? await personStatus(parts.context, visit) : undefined;
  if (!person) return { ...state, statusUrl };
  return { ...state, statusUrl, status: await presentStatus(parts, texts, person) };
}
