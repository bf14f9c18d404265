import Type, { type Static } from 'typebox';
import { bytesKey } from '../../../lib/ids.ts';
import { isoTime } from '../../../lib/time.ts';
import { type InviteMail, lastInviteMails } from '../../../mail/invite-mails.ts';
import { readParts } from '../../../mail/parts.ts';
import { MAIL_STATES } from '../../../mail/templates/kinds.ts';
import { whenReadable } from '../../../vault/crypto.ts';
import type { InviteOfEntry } from '../../../waitlist/invites/browse-invites.ts';
import { joinLink } from '../../../waitlist/links/links.ts';
import type { Queue } from '../../../waitlist/queue/queue.ts';
import { AdminInviteSchema, EXAMPLE_ADMIN_INVITE, presentAdminInvite } from '../../../wire/invite.ts';
import { maskFor } from '../../../wire/mask.ts';
import { named, nullable, oneOf, time } from '../../../wire/schema.ts';
import type { AdminParts, Caller } from '../core/parts.ts';
import { mailId } from '../mails/scope.ts';

const InviteMailObject = Type.Object(
  {
    id: mailId,
    state: oneOf(MAIL_STATES, { description: '`kept`: it was not sent. See the list of emails.' }),
    error: nullable<string>('string', { description: 'What went wrong at the last attempt.' }),
    createdAt: time('When the email was recorded.'),
  },
  { ...named('InviteMail'), description: 'The last email of an invite.' },
);

export const InviteObject = Type.Object(
  {
    ...AdminInviteSchema.properties,
    mail: Type.Unsafe<Static<typeof InviteMailObject> | null>({
      anyOf: [InviteMailObject, { type: 'null' }],
      description:
        'The last email with this invite. `null`: none was recorded, because invite emails were off, or it is no longer stored.',
    }),
  },
  { ...named('Invite'), description: 'An invite, for operators.' },
);

export const EXAMPLE_INVITE: Static<typeof InviteObject> = {
  ...EXAMPLE_ADMIN_INVITE,
  mail: {
    id: 'evt_06gxx2p9r1yn1vp1ryss481fhw',
    state: 'sent',
    error: null,
    createdAt: '2026-11-15T09:30:00.000Z',
  },
};

/** With their links and emails, as the caller may see them. */
export async function presentInvites(
  { waitlists, publicUrl }: AdminParts,
  { actor }: Caller,
  queue: Queue,
  invites: readonly InviteOfEntry[],
): Promise<Static<typeof InviteObject>[]> {
  const parts = await whenReadable(readParts(waitlists, queue.waitlist.internalId));
  const ids = invites.map(({ id }) => id);
  const mails = await lastInviteMails(waitlists, queue, ids);
  // Codes of a waitlist whose settings are damaged work on our own page.
  const linkTo = (code: string) => joinLink(parts?.settings.joinUrl ?? null, publicUrl, code);
  return invites.map((invite) => ({
    ...presentAdminInvite(invite, maskFor(actor.role), linkTo),
    mail: presentInviteMail(mails.get(bytesKey(invite.id))),
  }));
}

function presentInviteMail(mail: InviteMail | undefined): Static<typeof InviteMailObject> | null {
  if (!mail) return null;
  const { id, state, error, createdAt } = mail;
  return { id, state, error, createdAt: isoTime(createdAt) };
}
