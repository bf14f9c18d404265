import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { DoorlistError, notFound } from '../../errors.ts';
import {
  type ConfirmLink,
  checkConfirmLink,
  followConfirmLink,
  renewConfirmLink,
} from '../../waitlist/links/confirm-link.ts';
import { html } from '../docs/html.ts';
import type { TypedApp } from '../typed-app.ts';
import { button, type Page, sendPage } from './page.ts';
import { type PageParts, pageRoute, TokenParams, wantsJson } from './parts.ts';

/** The page shows a button, because mail scanners open links and must not confirm anyone. */
export function registerConfirmPage(app: TypedApp, parts: PageParts): void {
  const { context } = parts;
  app.get('/confirm/:token', pageRoute(parts.look, TokenParams), async (request, reply) => {
    return answer(request, reply, await checkConfirmLink(context, request.params.token));
  });
  app.post('/confirm/:token', pageRoute(parts.act, TokenParams), async (request, reply) => {
    return answer(request, reply, await followConfirmLink(context, request.params.token));
  });
  app.post('/confirm/:token/again', pageRoute(parts.act, TokenParams), async (request, reply) => {
    const link = await renewConfirmLink(context, request.params.token);
    if (link.state !== 'expired') return answer(request, reply, link);
    if (wantsJson(request)) return { state: 'renewed', waitlist: link.waitlist };
    return sendPage(reply, {
      title: 'Check your inbox',
      content: html`<p>A new link is on its way. We send at most one a day.</p>`,
    });
  });
}

type TokenRequest = FastifyRequest & { params: Static<typeof TokenParams> };

/** HTML for people, JSON for the backend of a waitlist's own confirm page. */
function answer(request: TokenRequest, reply: FastifyReply, link: ConfirmLink): string | ConfirmLink {
  if (!wantsJson(request)) return sendPage(reply, pageFor(link, request.params.token));
  if (link.state === 'unknown')
    throw notFound('this link is invalid, or its entry is no longer on the waitlist');
  if (link.state === 'expired')
    throw new DoorlistError('expired', 'this link has expired; request a new one');
  return { state: link.state, waitlist: link.waitlist };
}

function pageFor({ state, waitlist }: ConfirmLink, token: string): Page {
  switch (state) {
    case 'ready':
      return {
        title: 'Confirm your email',
        content: html`<p>Confirm your email to join the ${waitlist} waitlist.</p>
${button(`../confirm/${token}`, 'Confirm')}`,
      };
    case 'confirmed':
      return {
        title: 'Your email is confirmed',
        content: html`<p>You are on the ${waitlist} waitlist. You can close this page.</p>`,
      };
    case 'expired':
      return {
        status: 410,
        title: 'This link has expired',
        content: html`<p>Links work for 7 days. We can send you a new one.</p>
${button(`../confirm/${token}/again`, 'Send me a new link')}`,
      };
    case 'unknown':
      return {
        status: 404,
        title: 'This link does not work',
        content: html`<p>It is incomplete, or the address was removed from the waitlist. Copy the link again from your email.</p>`,
      };
  }
}
