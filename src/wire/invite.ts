import Type, { type Static } from 'typebox';
import { formatId } from '../lib/ids.ts';
import { isoTime, isoTimeOrNull } from '../lib/time.ts';
import type { Invite, InviteOfEntry } from '../waitlist/invites/browse-invites.ts';
import type { CreatedInvite } from '../waitlist/invites/create-invites.ts';
import type { InviteFacts } from '../waitlist/queue/events.ts';
import type { Mask } from './mask.ts';
import { EMAIL, idPattern, named, nullable, oneOf, time, timeOrNull } from './schema.ts';

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

export const INVITE_STATES = ['open', 'accepted', 'revoked', 'expired'] as const;

export const AdminInviteSchema = Type.Object(
  {
    id: Type.String({ ...idPattern('inv'), description: 'Unique id of the invite.' }),
    state: oneOf(INVITE_STATES, {
      ...named('InviteState'),
      description: '`open` can be accepted. The other states are final.',
    }),
    email: nullable<string>('string', {
      description: 'The invited email. `null` once the person is erased. Viewers see it masked: `a…@e….com`.',
    }),
    code: nullable<string>('string', { description: 'The code. `null` for viewers.' }),
    url: nullable<string>('string', { description: 'Link to accept the invite. `null` for viewers.' }),
    entryId: nullable<string>('string', {
      description: 'The entry with this email. `null` if it is not on the waitlist.',
    }),
    createdAt: time('When the invite was created.'),
    expiresAt: timeOrNull('When the invite expires; `null` if it does not.'),
    acceptedAt: timeOrNull('When the invite was accepted.'),
    revokedAt: timeOrNull('When the invite was revoked.'),
  },
  { ...named('Invite'), description: 'An invite, for operators.' },
);

/** `linkTo` makes the link of a code. */
export function presentAdminInvite(
  invite: InviteOfEntry,
  mask: Mask,
  linkTo: (code: string) => string,
): Static<typeof AdminInviteSchema> {
  const { state, code } = invite;
  return {
    id: formatId('inv', invite.id),
    state: state === 'live' ? 'open' : state,
    email: mask.email(invite.email),
    code: mask.secret(code),
    url: code === null ? null : mask.secret(linkTo(code)),
    entryId: invite.entryId && formatId('ent', invite.entryId),
    createdAt: isoTime(invite.createdAt),
    expiresAt: isoTimeOrNull(invite.expiresAt),
    acceptedAt: isoTimeOrNull(invite.acceptedAt),
    revokedAt: isoTimeOrNull(invite.revokedAt),
  };
}

export const EXAMPLE_ADMIN_INVITE: Static<typeof AdminInviteSchema> = {
  id: 'inv_06gxx2p9r1yn1vp1ryss481fhw',
  state: 'open',
  email: 'ada@example.com',
  code: 'k3v9x0abq8t2m5w7zc4d6f1g9hnprs0v',
  url: 'https://waitlist.example.com/join/k3v9x0abq8t2m5w7zc4d6f1g9hnprs0v',
  entryId: 'ent_06gxx2p9r1yn1vp1ryss481fhw',
  createdAt: '2026-11-15T09:30:00.000Z',
  expiresAt: '2026-11-22T09:30:00.000Z',
  acceptedAt: null,
  revokedAt: null,
};

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
