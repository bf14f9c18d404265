import type { FastifyReply } from 'fastify';
import Type from 'typebox';
import type { Notice, Texts } from '../../languages/texts.ts';
import { DoorlistError } from '../../lib/errors.ts';
import { formOf } from '../../waitlist/forms/form.ts';
import { acceptInvite } from '../../waitlist/invites/accept-invite.ts';
import { CODE_CHARACTERS_MAX, checkInvite, queueOfCode } from '../../waitlist/invites/invites.ts';
import type { Queue } from '../../waitlist/queue/queue.ts';
import { limits } from '../../wire/schema.ts';
import { html } from '../docs/html.ts';
import { STATUS } from '../problem.ts';
import type { TypedApp } from '../typed-app.ts';
import { lookOf } from './look.ts';
import { button, noticePage, type Page, sendPage, withStrong } from './page.ts';
import { inSameLanguage, type PageParts, pageRoute, textsFor } from './parts.ts';

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

  app.get('/join/:code', pageRoute(parts.reading, CodeParams), async (request, reply) => {
    const { code } = request.params;
    const texts = textsFor(request);
    const { join, formats } = texts;
    const invite = await checkInvite(context, code);
    const queue = await queueOfCode(context, code);
    if (invite.state !== 'live') return send(reply, queue, refusal(invite.state, texts), texts);
    const { waitlist, email, expiresAt } = invite;
    const inviteFor = (person: string) =>
      expiresAt === null ? join.inviteFor(person) : join.inviteForUntil(person, formats.date(expiresAt));
    const page = {
      title: join.title(waitlist.name),
      content: html`<p>${withStrong(inviteFor, email)}</p>
${button(inSameLanguage(request, `../join/${code}`), join.accept)}`,
    };
    return send(reply, queue, page, texts);
  });
  app.post('/join/:code', pageRoute(parts.acting, CodeParams), async (request, reply) => {
    const { code } = request.params;
    const texts = textsFor(request);
    const { join } = texts;
    const queue = await queueOfCode(context, code);
    try {
      const { waitlist, email } = await acceptInvite(context, { code });
      const next = queue && (await formOf(context, queue)).settings.acceptedUrl;
      const page = {
        title: join.acceptedTitle,
        content: html`<p>${withStrong((person) => join.accepted(waitlist.name, person), email)}</p>
${next ? html`<a class="button" href="${next}" rel="noreferrer">${join.continueTo(waitlist.name)}</a>` : undefined}`,
      };
      return send(reply, queue, page, texts);
    } catch (error) {
      if (!(error instanceof DoorlistError) || !isRefusal(error.code)) throw error;
      return send(reply, queue, refusal(error.code, texts), texts);
    }
  });
}

type Refusal = 'not_found' | 'expired' | 'revoked' | 'accepted';

function isRefusal(code: string): code is Refusal {
  return ['not_found', 'expired', 'revoked', 'accepted'].includes(code);
}

function refusal(reason: Refusal, { join }: Texts): Page {
  const notices: Record<Refusal, Notice> = {
    not_found: join.notFound,
    expired: join.expired,
    revoked: join.revoked,
    accepted: join.alreadyAccepted,
  };
  return noticePage(notices[reason], STATUS[reason]);
}
