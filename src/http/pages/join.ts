import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { languageOf } from '../../languages/languages.ts';
import type { Notice, Texts } from '../../languages/texts.ts';
import { EMAIL_MAX_CHARACTERS, parseEmail } from '../../lib/email.ts';
import { DoorlistError } from '../../lib/errors.ts';
import { findCode } from '../../waitlist/codes/codes.ts';
import { formOf } from '../../waitlist/forms/form.ts';
import { acceptInvite } from '../../waitlist/gate/accept-invite.ts';
import { CODE_CHARACTERS_MAX, checkInvite, queueOfCode } from '../../waitlist/invites/invites.ts';
import type { Context } from '../../waitlist/queue/context.ts';
import type { Queue } from '../../waitlist/queue/queue.ts';
import { limits } from '../../wire/schema.ts';
import { type Html, html } from '../docs/html.ts';
import { STATUS } from '../problem.ts';
import { textsFor } from '../request-language.ts';
import type { TypedApp } from '../typed-app.ts';
import { labelled } from './field.ts';
import { button, lookOf, noticePage, onward, type Page, sendPage, withStrong } from './page.ts';
import { inSameLanguage, type PageParts, pageRoute } from './page-parts.ts';

const CodeParams = Type.Object({ code: Type.String(limits({ maxLength: CODE_CHARACTERS_MAX })) });

export function registerJoinPage(app: TypedApp, parts: PageParts): void {
  const { context } = parts;
  /** With the look of the waitlist, unless the code is not one of ours. */
  const send = async (reply: FastifyReply, queue: Queue | undefined, page: Page, texts: Texts) =>
    sendPage(
      reply,
      page,
      texts,
      queue && page.status !== STATUS.not_found ? await lookOf(parts, queue) : undefined,
    );
  /** What the code is now. `typed` is the email that was refused, if one was. */
  const show = async (request: CodeRequest, reply: FastifyReply, typed?: Typed) => {
    const { code } = request.params;
    const texts = textsFor(request);
    const { join, formats } = texts;
    const invite = await checkInvite(context, code);
    const { queue, isForMany } = await whose(context, code);
    if (invite.state !== 'live') {
      const usedUp = isForMany && invite.state === 'accepted';
      const page = usedUp
        ? noticePage(join.codeUsedUp, STATUS.accepted)
        : await refusal(parts, invite.state, queue, texts);
      return send(reply, queue, page, texts);
    }
    const { waitlist, email, expiresAt } = invite;
    if (queue && 'places' in invite && invite.places !== null) {
      const form = await formOf(context, queue);
      if (form.enabled) return reply.redirect(toForm(request, queue, code), 303);
      return send(reply, queue, noticePage(join.forJoining(waitlist.name)), texts);
    }
    const inviteFor = (person: string) =>
      expiresAt === null ? join.inviteFor(person) : join.inviteForUntil(person, formats.date(expiresAt));
    const action = inSameLanguage(request, `../join/${code}`);
    const asking =
      expiresAt === null
        ? join.enterEmail(waitlist.name)
        : join.enterEmailUntil(waitlist.name, formats.date(expiresAt));
    const page = {
      ...(typed ? { status: STATUS.invalid_fields } : {}),
      title: join.title(waitlist.name),
      content:
        email === null
          ? html`<p>${asking}</p>${emailForm(action, texts, typed)}`
          : html`<p>${withStrong(inviteFor, email)}</p>
${button(action, join.accept)}`,
    };
    return send(reply, queue, page, texts);
  };

  app.register(async (scope: TypedApp) => {
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string' },
      (_request, body, done) => done(null, { email: new URLSearchParams(String(body)).get('email') }),
    );
    scope.get('/join/:code', pageRoute(parts.reading, CodeParams), (request, reply) => show(request, reply));
    scope.post('/join/:code', pageRoute(parts.acting, CodeParams), async (request, reply) => {
      const { code } = request.params;
      const texts = textsFor(request);
      const { join } = texts;
      const { queue, isForMany, isForJoining } = await whose(context, code);
      if (isForJoining) return show(request, reply);
      const typed = isForMany ? readTyped(request.body, texts) : undefined;
      if (typed?.problem !== undefined) return show(request, reply, typed);
      try {
        const { waitlist, email } = await acceptInvite(context, { code, email: typed?.email });
        const page = {
          title: join.acceptedTitle,
          content: html`<p>${withStrong((person) => join.accepted(waitlist.name, person), email)}</p>
${queue && (await onward(parts, queue, texts))}`,
        };
        return send(reply, queue, page, texts);
      } catch (error) {
        if (!(error instanceof DoorlistError) || !isRefusal(error.code)) throw error;
        const isOver = isForMany && (await checkInvite(context, code)).state !== 'live';
        if (isOver) return show(request, reply);
        return send(reply, queue, await refusal(parts, error.code, queue, texts), texts);
      }
    });
  });
}

/** The page where people join, with the code. */
function toForm({ query }: FastifyRequest, { waitlist, environment }: Queue, code: string): string {
  const language = languageOf((query as { lang?: unknown }).lang);
  const where = new URLSearchParams({
    ...(environment === 'production' ? {} : { environment }),
    ...(language && { lang: language }),
    code,
  });
  return `../w/${waitlist.id}?${where}`;
}

type CodeRequest = FastifyRequest & { params: { code: string } };

interface Whose {
  queue?: Queue;
  isForMany: boolean;
  isForJoining?: boolean;
}

async function whose(context: Context, code: string): Promise<Whose> {
  const queue = await queueOfCode(context, code);
  if (queue) return { queue, isForMany: false };
  const found = await findCode(context, code);
  if (!found) return { isForMany: false };
  return { queue: found.queue, isForMany: true, isForJoining: found.row.does === 'advance' };
}

interface Typed {
  email: string;
  problem?: string;
}

function readTyped(body: unknown, { form }: Texts): Typed {
  const email = ((body as { email?: string | null } | undefined)?.email ?? '').trim();
  const { problems } = form;
  if (email === '') return { email, problem: problems.emailRequired };
  if (email.length > EMAIL_MAX_CHARACTERS)
    return { email: '', problem: problems.tooLong(EMAIL_MAX_CHARACTERS) };
  return parseEmail(email) ? { email } : { email, problem: problems.emailInvalid };
}

function emailForm(action: string, { form, join }: Texts, typed: Typed | undefined): Html {
  const field = labelled(
    'email',
    form.email,
    typed?.problem,
    (attributes) =>
      html`<input type="email" name="email" autocomplete="email" inputmode="email" required value="${typed?.email ?? ''}" placeholder="${form.emailExample}"${attributes}>`,
  );
  return html`<form method="post" action="${action}" novalidate>${field}
<button>${join.accept}</button></form>`;
}

type Refusal = 'not_found' | 'expired' | 'revoked' | 'accepted';

function isRefusal(code: string): code is Refusal {
  return ['not_found', 'expired', 'revoked', 'accepted'].includes(code);
}

async function refusal(
  parts: PageParts,
  reason: Refusal,
  queue: Queue | undefined,
  texts: Texts,
): Promise<Page> {
  const { join } = texts;
  if (reason === 'accepted' && queue)
    return {
      status: STATUS.accepted,
      title: join.alreadyAcceptedTitle,
      content: html`<p>${join.alreadyAccepted(queue.waitlist.name)}</p>
${await onward(parts, queue, texts)}`,
    };
  const notices: Record<Exclude<Refusal, 'accepted'>, Notice> = {
    not_found: join.notFound,
    expired: join.expired,
    revoked: join.revoked,
  };
  return noticePage(reason === 'accepted' ? join.notFound : notices[reason], STATUS[reason]);
}
