import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { checkLeaveLink, leaveList, unsubscribe } from '../../waitlist/links/leave-link.ts';
import { html } from '../docs/html.ts';
import { textsFor } from '../request-language.ts';
import type { TypedApp } from '../typed-app.ts';
import { button, lookOfLink, noticePage, sendPage } from './page.ts';
import { inSameLanguage, type PageParts, pageRoute, TokenParams } from './page-parts.ts';

/**
 * `/unsubscribe/…` is for the unsubscribe button of mail clients (RFC 8058), `/leave/…` for people. Both show
 * the same page.
 */
export function registerLeavePage(app: TypedApp, parts: PageParts): void {
  const { context } = parts;
  const show = async (request: TokenRequest, reply: FastifyReply) => {
    const { token } = request.params;
    const texts = textsFor(request);
    const { leave } = texts;
    const leaver = await checkLeaveLink(context, token);
    if (!leaver) return sendPage(reply, noticePage(leave.unknown, 404), texts);
    return sendPage(
      reply,
      {
        title: leave.title(leaver.waitlist),
        content: html`<p>${leave.unsubscribeText}</p>
${button(inSameLanguage(request, `../unsubscribe/${token}`), leave.unsubscribe)}
<div class="apart"><p class="soft">${leave.leaveText}</p>
${button(inSameLanguage(request, `../leave/${token}`), leave.leave, true)}</div>`,
      },
      texts,
      await lookOfLink(parts, token),
    );
  };
  app.get('/unsubscribe/:token', pageRoute(parts.reading, TokenParams), async (request, reply) =>
    show(request, reply),
  );
  app.get('/leave/:token', pageRoute(parts.reading, TokenParams), async (request, reply) =>
    show(request, reply),
  );
  app.post('/unsubscribe/:token', pageRoute(parts.acting, TokenParams), async (request, reply) => {
    const texts = textsFor(request);
    const { unknown, unsubscribedTitle: title, unsubscribed } = texts.leave;
    const { token } = request.params;
    const leaver = await unsubscribe(context, token);
    if (!leaver) return sendPage(reply, noticePage(unknown, 404), texts);
    return sendPage(
      reply,
      noticePage({ title, text: unsubscribed(leaver.waitlist) }),
      texts,
      await lookOfLink(parts, token),
    );
  });
  app.post('/leave/:token', pageRoute(parts.acting, TokenParams), async (request, reply) => {
    const texts = textsFor(request);
    const { unknown, leftTitle: title, left } = texts.leave;
    const { token } = request.params;
    const leaver = await leaveList(parts.asPerson, token);
    if (!leaver) return sendPage(reply, noticePage(unknown, 404), texts);
    return sendPage(
      reply,
      noticePage({ title, text: left(leaver.waitlist) }),
      texts,
      await lookOfLink(parts, token),
    );
  });
}

type TokenRequest = FastifyRequest & { params: Static<typeof TokenParams> };
