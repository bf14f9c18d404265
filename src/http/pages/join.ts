import Type from 'typebox';
import { DoorlistError } from '../../errors.ts';
import type { Notice, Texts } from '../../languages/texts.ts';
import { acceptInvite } from '../../waitlist/invites/accept-invite.ts';
import { checkInvite } from '../../waitlist/invites/invites.ts';
import { html } from '../docs/html.ts';
import { STATUS } from '../problem.ts';
import type { TypedApp } from '../typed-app.ts';
import { button, noticePage, type Page, sendPage, withStrong } from './page.ts';
import { inSameLanguage, type PageParts, pageRoute, textsFor } from './parts.ts';

const CodeParams = Type.Object({ code: Type.String() });

export function registerJoinPage(app: TypedApp, parts: PageParts): void {
  const { context } = parts;
  app.get('/join/:code', pageRoute(parts.look, CodeParams), async (request, reply) => {
    const { code } = request.params;
    const texts = textsFor(request);
    const { join, formats } = texts;
    const invite = await checkInvite(context, code);
    if (invite.state !== 'live') return sendPage(reply, refusal(invite.state, texts), texts);
    const { waitlist, email, expiresAt } = invite;
    const inviteFor = (person: string) =>
      expiresAt === null ? join.inviteFor(person) : join.inviteForUntil(person, formats.date(expiresAt));
    return sendPage(
      reply,
      {
        title: join.title(waitlist.name),
        content: html`<p>${withStrong(inviteFor, email)}</p>
${button(inSameLanguage(request, `../join/${code}`), join.accept)}`,
      },
      texts,
    );
  });
  app.post('/join/:code', pageRoute(parts.act, CodeParams), async (request, reply) => {
    const { code } = request.params;
    const texts = textsFor(request);
    const { join } = texts;
    try {
      const { waitlist, email } = await acceptInvite(context, { code });
      return sendPage(
        reply,
        {
          title: join.acceptedTitle,
          content: html`<p>${withStrong((person) => join.accepted(waitlist.name, person), email)}</p>`,
        },
        texts,
      );
    } catch (error) {
      if (!(error instanceof DoorlistError) || !isRefusal(error.code)) throw error;
      return sendPage(reply, refusal(error.code, texts), texts);
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
