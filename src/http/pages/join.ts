import type { FastifyReply } from 'fastify';
import Type from 'typebox';
import type { Notice, Texts } from '../../languages/texts.ts';
import { DoorlistError } from '../../lib/errors.ts';
import { acceptInvite } from '../../waitlist/invites/accept-invite.ts';
import { CODE_CHARACTERS_MAX, checkInvite, queueOfCode } from '../../waitlist/invites/invites.ts';
import type { Queue } from '../../waitlist/queue/queue.ts';
import { limits } from '../../wire/schema.ts';
import { html } from '../docs/html.ts';
import { STATUS } from '../problem.ts';
import { textsFor } from '../request-language.ts';
import type { TypedApp } from '../typed-app.ts';
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

  app.get('/join/:code', pageRoute(parts.reading, CodeParams), async (request, reply) => {
    const { code } = request.params;
    const texts = textsFor(request);
    const { join, formats } = texts;
    const invite = await checkInvite(context, code);
    const queue = await queueOfCode(context, code);
    if (invite.state !== 'live')
      return send(reply, queue, await refusal(parts, invite.state, queue, texts), texts);
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
      const page = {
        title: join.acceptedTitle,
        content: html`<p>${withStrong((person) => join.accepted(waitlist.name, person), email)}</p>
${queue && (await onward(parts, queue, texts))}`,
      };
      return send(reply, queue, page, texts);
    } catch (error) {
      if (!(error instanceof DoorlistError) || !isRefusal(error.code)) throw error;
      return send(reply, queue, await refusal(parts, error.code, queue, texts), texts);
    }
  });
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
