import type { FastifyReply } from 'fastify';
import { checkLeaveLink, leaveList, unsubscribe } from '../../waitlist/links/leave-link.ts';
import { html } from '../docs/html.ts';
import type { TypedApp } from '../typed-app.ts';
import { button, type Page, sendPage } from './page.ts';
import { type PageParts, pageRoute, TokenParams } from './parts.ts';

const NOBODY: Page = {
  status: 404,
  title: 'This link does not work',
  content: html`<p>The link is incomplete, or this address has already left the waitlist.</p>`,
};

/**
 * `/unsubscribe/…` is for the unsubscribe button of mail clients (RFC 8058), `/leave/…` for people. Both show
 * the same page.
 */
export function registerLeavePage(app: TypedApp, parts: PageParts): void {
  const { context } = parts;
  const show = async (token: string, reply: FastifyReply) => {
    const leaver = await checkLeaveLink(context, token);
    if (!leaver) return sendPage(reply, NOBODY);
    return sendPage(reply, {
      title: `Emails from ${leaver.waitlist}`,
      content: html`<p>Unsubscribe from these emails and keep your place on the waitlist. We will still email you when you are invited.</p>
${button(`../unsubscribe/${token}`, 'Unsubscribe')}
<p class="soft">Or leave the waitlist. This erases your place, your invites and all your data on this waitlist. It cannot be undone.</p>
${button(`../leave/${token}`, 'Leave and erase my data', true)}`,
    });
  };
  app.get('/unsubscribe/:token', pageRoute(parts.look, TokenParams), async (request, reply) =>
    show(request.params.token, reply),
  );
  app.get('/leave/:token', pageRoute(parts.look, TokenParams), async (request, reply) =>
    show(request.params.token, reply),
  );
  app.post('/unsubscribe/:token', pageRoute(parts.act, TokenParams), async (request, reply) => {
    const leaver = await unsubscribe(context, request.params.token);
    if (!leaver) return sendPage(reply, NOBODY);
    return sendPage(reply, {
      title: 'You are unsubscribed',
      content: html`<p>You will no longer get these emails from ${leaver.waitlist}.</p>`,
    });
  });
  app.post('/leave/:token', pageRoute(parts.act, TokenParams), async (request, reply) => {
    const leaver = await leaveList(context, request.params.token);
    if (!leaver) return sendPage(reply, NOBODY);
    return sendPage(reply, {
      title: 'You have left the waitlist',
      content: html`<p>Your place on the ${leaver.waitlist} waitlist and all your data were erased.</p>`,
    });
  });
}
