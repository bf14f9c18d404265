import type { FastifyReply } from 'fastify';
import { checkLeaveLink, leaveList, unsubscribe } from '../../waitlist/links/leave-link.ts';
import { html } from '../docs/html.ts';
import type { TypedApp } from '../typed-app.ts';
import { button, type Page, sendPage } from './page.ts';
import { type PageParts, pageRoute, TokenParams } from './parts.ts';

const NOBODY: Page = {
  status: 404,
  title: 'There is nothing to leave',
  content: html`<p>The link is not complete, or this address has left the waitlist already.</p>`,
};

/** `/unsubscribe/…` is for the button of mail clients (RFC 8058), `/leave/…` for people; opened, both show the same. */
export function registerLeavePage(app: TypedApp, parts: PageParts): void {
  const { context } = parts;
  const show = async (token: string, reply: FastifyReply) => {
    const leaver = await checkLeaveLink(context, token);
    if (!leaver) return sendPage(reply, NOBODY);
    return sendPage(reply, {
      title: `Mails from ${leaver.waitlist}`,
      content: html`<p>Stop these mails and keep your place on the waitlist. You would still hear when you are invited.</p>
${button(`../unsubscribe/${token}`, 'Unsubscribe')}
<p class="soft">Or leave altogether: your place, your invites and everything that is known of you on this waitlist is erased. This cannot be undone.</p>
${button(`../leave/${token}`, 'Leave the waitlist and erase my data', true)}`,
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
      content: html`<p>You get no more such mails from ${leaver.waitlist}.</p>`,
    });
  });
  app.post('/leave/:token', pageRoute(parts.act, TokenParams), async (request, reply) => {
    const leaver = await leaveList(context, request.params.token);
    if (!leaver) return sendPage(reply, NOBODY);
    return sendPage(reply, {
      title: 'You have left',
      content: html`<p>Your place on the waitlist of ${leaver.waitlist} and everything that was known of you there is erased.</p>`,
    });
  });
}
