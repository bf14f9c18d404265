import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { checkLeaveLink, leaveList, unsubscribe } from '../../waitlist/links/leave-link.ts';
import { html } from '../docs/html.ts';
import { button, type Page, sendPage } from './page.ts';
import { type PageParts, pageRoute, tokenOf } from './parts.ts';

const NOBODY: Page = {
  status: 404,
  title: 'There is nothing to leave',
  content: html`<p>The link is not complete, or this address has left the waitlist already.</p>`,
};

/** `/unsubscribe/…` is for the button of mail clients (RFC 8058), `/leave/…` for people; opened, both show the same. */
export function registerLeavePage(app: FastifyInstance, parts: PageParts): void {
  const { context } = parts;
  const show = async (request: FastifyRequest, reply: FastifyReply) => {
    const token = tokenOf(request);
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
  app.get('/unsubscribe/:token', pageRoute(parts.look), show);
  app.get('/leave/:token', pageRoute(parts.look), show);
  app.post('/unsubscribe/:token', pageRoute(parts.act), async (request, reply) => {
    const leaver = await unsubscribe(context, tokenOf(request));
    if (!leaver) return sendPage(reply, NOBODY);
    return sendPage(reply, {
      title: 'You are unsubscribed',
      content: html`<p>You get no more such mails from ${leaver.waitlist}.</p>`,
    });
  });
  app.post('/leave/:token', pageRoute(parts.act), async (request, reply) => {
    const leaver = await leaveList(context, tokenOf(request));
    if (!leaver) return sendPage(reply, NOBODY);
    return sendPage(reply, {
      title: 'You have left',
      content: html`<p>Your place on the waitlist of ${leaver.waitlist} and everything that was known of you there is erased.</p>`,
    });
  });
}
