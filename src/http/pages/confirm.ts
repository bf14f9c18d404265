import type { FastifyInstance } from 'fastify';
import {
  type ConfirmLink,
  checkConfirmLink,
  followConfirmLink,
  renewConfirmLink,
} from '../../events/emails/confirm-link.ts';
import { html } from '../docs/html.ts';
import { button, type Page, sendPage } from './page.ts';
import { type PageParts, pageRoute, tokenOf } from './parts.ts';

/** Opening the link shows a button: mail scanners open links, and must not confirm anybody. */
export function registerConfirmPage(app: FastifyInstance, parts: PageParts): void {
  const { context } = parts;
  app.get('/confirm/:token', pageRoute(parts.look), async (request, reply) => {
    const token = tokenOf(request);
    return sendPage(reply, pageFor(await checkConfirmLink(context, token), token));
  });
  app.post('/confirm/:token', pageRoute(parts.act), async (request, reply) => {
    const token = tokenOf(request);
    return sendPage(reply, pageFor(await followConfirmLink(context, token), token));
  });
  app.post('/confirm/:token/again', pageRoute(parts.act), async (request, reply) => {
    const token = tokenOf(request);
    const link = await renewConfirmLink(context, token);
    if (link.state !== 'expired') return sendPage(reply, pageFor(link, token));
    return sendPage(reply, {
      title: 'Look into your mail',
      content: html`<p>A new link is on its way to you. There is at most one a day.</p>`,
    });
  });
}

function pageFor({ state, waitlist }: ConfirmLink, token: string): Page {
  switch (state) {
    case 'ready':
      return {
        title: 'Confirm your email',
        content: html`<p>One click, and you have your place on the waitlist of ${waitlist}.</p>
${button(`../confirm/${token}`, 'Confirm')}`,
      };
    case 'confirmed':
      return {
        title: 'Your email is confirmed',
        content: html`<p>You have your place on the waitlist of ${waitlist}. You can close this page.</p>`,
      };
    case 'expired':
      return {
        status: 410,
        title: 'This link has expired',
        content: html`<p>It worked for 7 days. We can send you a new one.</p>
${button(`../confirm/${token}/again`, 'Send me a new link')}`,
      };
    case 'unknown':
      return {
        status: 404,
        title: 'This link does not work',
        content: html`<p>It is not complete, or the address was taken off the waitlist. Copy it once more from your mail.</p>`,
      };
  }
}
