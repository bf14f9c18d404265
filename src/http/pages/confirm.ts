import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import type { Texts } from '../../languages/texts.ts';
import { DoorlistError, notFound } from '../../lib/errors.ts';
import {
  type ConfirmLink,
  checkConfirmLink,
  followConfirmLink,
  renewConfirmLink,
} from '../../waitlist/links/confirm-link.ts';
import { html } from '../docs/html.ts';
import { textsFor } from '../request-language.ts';
import type { TypedApp } from '../typed-app.ts';
import { button, lookOfLink, noticePage, type Page, sendPage } from './page.ts';
import { inSameLanguage, type PageParts, pageRoute, TokenParams, wantsJson } from './page-parts.ts';

/** The page shows a button, because mail scanners open links and must not confirm anyone. */
export function registerConfirmPage(app: TypedApp, parts: PageParts): void {
  const { context } = parts;
  app.get('/confirm/:token', pageRoute(parts.reading, TokenParams), async (request, reply) => {
    return answer(parts, request, reply, await checkConfirmLink(context, request.params.token));
  });
  app.post('/confirm/:token', pageRoute(parts.acting, TokenParams), async (request, reply) => {
    return answer(parts, request, reply, await followConfirmLink(context, request.params.token));
  });
  app.get('/confirm/:token/again', pageRoute(parts.reading, TokenParams), async (request, reply) =>
    reply.redirect(inSameLanguage(request, `../${encodeURIComponent(request.params.token)}`)),
  );
  app.post('/confirm/:token/again', pageRoute(parts.acting, TokenParams), async (request, reply) => {
    const { token } = request.params;
    const link = await renewConfirmLink(context, token);
    if (link.state !== 'expired') return answer(parts, request, reply, link, '../../');
    const isSent = parts.hasMailServer && link.mailable;
    if (wantsJson(request)) {
      if (isSent) return { state: 'renewed', waitlist: link.waitlist };
      throw new DoorlistError('expired', 'this link has expired, and no email can be sent right now');
    }
    const texts = textsFor(request);
    const { renewed, expired } = texts.confirm;
    const notice = isSent ? renewed : { ...expired, text: texts.errors.notEmailed };
    return sendPage(reply, noticePage(notice), texts, await lookOfLink(parts, token));
  });
}

type TokenRequest = FastifyRequest & { params: Static<typeof TokenParams> };

/** HTML for people, JSON for the backend of a waitlist's own confirm page. */
async function answer(
  parts: PageParts,
  request: TokenRequest,
  reply: FastifyReply,
  link: ConfirmLink,
  up = '../',
): Promise<string | ConfirmLink> {
  if (!wantsJson(request)) {
    const texts = textsFor(request);
    const look = link.state === 'unknown' ? undefined : await lookOfLink(parts, request.params.token);
    return sendPage(
      reply,
      pageFor(link, (path) => inSameLanguage(request, up + path), texts, request.params.token),
      texts,
      look,
    );
  }
  if (link.state === 'unknown')
    throw notFound('this link is invalid, or its entry is no longer on the waitlist');
  if (link.state === 'expired')
    throw new DoorlistError('expired', 'this link has expired; request a new one');
  return { state: link.state, waitlist: link.waitlist };
}

function pageFor(
  { state, waitlist, statusToken }: ConfirmLink,
  link: (path: string) => string,
  { confirm, joined }: Texts,
  token: string,
): Page {
  switch (state) {
    case 'ready':
      return {
        title: confirm.title,
        content: html`<p>${confirm.ask(waitlist)}</p>
${button(link(`confirm/${token}`), confirm.button)}`,
      };
    case 'confirmed':
      return {
        title: confirm.confirmedTitle,
        content: html`<p>${confirm.confirmed(waitlist)}</p>
<a class="button" href="${link(`s/${statusToken}`)}">${joined.seeStatus}</a>`,
      };
    case 'expired':
      return {
        status: 410,
        title: confirm.expired.title,
        content: html`<p>${confirm.expired.text}</p>
${button(link(`confirm/${token}/again`), confirm.renew)}`,
      };
    case 'unknown':
      return noticePage(confirm.unknown, 404);
  }
}
