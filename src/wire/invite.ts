import Type, { type Static } from 'typebox';
import { formatId } from '../ids.ts';
import { isoTime, isoTimeOrNull } from '../time.ts';
import type { CreatedInvite } from '../waitlist/invites/create-invites.ts';
import type { Invite } from '../waitlist/invites/list-invites.ts';
import type { InviteFacts } from '../waitlist/queue/events.ts';
import { EMAIL, idPattern, named, timeOrNull } from './schema.ts';

export const InviteSchema = Type.Object(
  {
    id: Type.String({ ...idPattern('inv'), description: 'Unique id of the invite.' }),
    email: Type.String({ ...EMAIL, description: 'The invited email.' }),
    expiresAt: timeOrNull('When the invite expires; `null` if it does not.'),
  },
  { ...named('Invite'), description: 'An invite. Its code is never included.' },
);

export function presentInvite({ id, email, expiresAt }: InviteFacts): Static<typeof InviteSchema> {
  return { id: formatId('inv', id), email, expiresAt: isoTimeOrNull(expiresAt) };
}

export const EXAMPLE_INVITE: Static<typeof InviteSchema> = {
  id: 'inv_06gxx2p9r1yn1vp1ryss481fhw',
  email: 'ada@example.com',
  expiresAt: null,
};

/** Includes the code, so it is for operators only. */
export function presentCreatedInvite({ id, code, email, expiresAt }: CreatedInvite) {
  return { id: formatId('inv', id), code, email, expiresAt: isoTimeOrNull(expiresAt) };
}

export type PresentedInviteDetails = ReturnType<typeof presentInviteDetails>;

/** Includes the code, so it is for operators only. */
export function presentInviteDetails(invite: Invite) {
  return {
    id: formatId('inv', invite.id),
    state: invite.state,
    email: invite.email,
    code: invite.code,
    createdAt: isoTime(invite.createdAt),
    expiresAt: isoTimeOrNull(invite.expiresAt),
    acceptedAt: isoTimeOrNull(invite.acceptedAt),
    revokedAt: isoTimeOrNull(invite.revokedAt),
  };
}
