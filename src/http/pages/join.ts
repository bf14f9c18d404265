import Type from 'typebox';
import { DoorlistError } from '../../errors.ts';
import { acceptInvite } from '../../waitlist/invites/accept-invite.ts';
import { checkInvite } from '../../waitlist/invites/invites.ts';
import { html } from '../docs/html.ts';
import { STATUS } from '../problem.ts';
import type { TypedApp } from '../typed-app.ts';
import { button, type Page, sendPage } from './page.ts';
import { type PageParts, pageRoute } from './parts.ts';

const REFUSALS: Record<string, { title: string; words: string }> = {
  not_found: {
    title: 'Invite not found',
    words: 'This link is incomplete. Copy it again from your email.',
  },
  expired: { title: 'This invite has expired', words: 'It can no longer be accepted.' },
  revoked: { title: 'This invite was revoked', words: 'It can no longer be accepted.' },
  accepted: {
    title: 'Already accepted',
    words: 'This invite has already been accepted. There is nothing left to do.',
  },
};

const CodeParams = Type.Object({ code: Type.String() });

export function registerJoinPage(app: TypedApp, parts: PageParts): void {
  const { context } = parts;
  app.get('/join/:code', pageRoute(parts.look, CodeParams), async (request, reply) => {
    const { code } = request.params;
    const invite = await checkInvite(context, code);
    if (invite.state !== 'live') return sendPage(reply, refusal(invite.state));
    const { waitlist, email, expiresAt } = invite;
    return sendPage(reply, {
      title: `Your invite to ${waitlist.name}`,
      content: html`<p>This invite is for <strong>${email}</strong>${expiresAt !== null && html` and expires on ${longDate(expiresAt)}`}. It works once.</p>
${button(`../join/${code}`, 'Accept invite')}`,
    });
  });
  app.post('/join/:code', pageRoute(parts.act, CodeParams), async (request, reply) => {
    const { code } = request.params;
    try {
      const { waitlist, email } = await acceptInvite(context, { code });
      return sendPage(reply, {
        title: "You're in",
        content: html`<p>You accepted the invite to ${waitlist.name} for <strong>${email}</strong>. Welcome!</p>`,
      });
    } catch (error) {
      if (!(error instanceof DoorlistError) || !(error.code in REFUSALS)) throw error;
      return sendPage(reply, refusal(error.code));
    }
  });
}

function refusal(reason: string): Page {
  const { title, words } = REFUSALS[reason] ?? { title: 'Something went wrong', words: '' };
  const status = STATUS[reason as keyof typeof STATUS];
  return { status, title, content: html`<p>${words}</p>` };
}

function longDate(time: number): string {
  const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
  return `${format.format(time)} UTC`;
}
