import Type from 'typebox';
import { readParts } from '../../../mail/parts.ts';
import { browseInvites, readInvite } from '../../../waitlist/invites/browse-invites.ts';
import { revokeInvite } from '../../../waitlist/invites/end-invites.ts';
import { resendInvite } from '../../../waitlist/invites/resend-invite.ts';
import { joinLink } from '../../../waitlist/links/links.ts';
import type { Queue } from '../../../waitlist/queue/queue.ts';
import {
  AdminInviteSchema,
  EXAMPLE_ADMIN_INVITE,
  INVITE_STATES,
  presentAdminInvite,
} from '../../../wire/invite.ts';
import { maskFor } from '../../../wire/mask.ts';
import { named, oneOf } from '../../../wire/schema.ts';
import type { TypedApp } from '../../typed-app.ts';
import { adminSchema } from '../core/operation.ts';
import { nextCursorSchema, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX, pageQuery } from '../core/pages.ts';
import type { AdminParts } from '../core/parts.ts';
import { queueToRead } from '../core/reading.ts';
import { closed, Deleted, Done } from '../core/schemas.ts';
import { domainFor, environmentQuery, requireQueue, waitlistParams } from '../core/waitlist-scope.ts';

const tag = 'Invites';
const EXAMPLE = EXAMPLE_ADMIN_INVITE;
const special = {
  not_found: {
    when: 'The waitlist or the invite does not exist.',
    message: `there is no invite ${EXAMPLE.id}`,
  },
};
const InviteParams = Type.Object({
  ...waitlistParams,
  inviteId: Type.String({ description: 'Id of the invite.', examples: [EXAMPLE.id] }),
});

const InvitePage = Type.Object(
  {
    invites: Type.Array(AdminInviteSchema, { maxItems: PAGE_LIMIT_MAX, description: 'Newest first.' }),
    nextCursor: nextCursorSchema,
  },
  { ...named('InvitePage'), description: 'One page of invites.' },
);

const listSchema = adminSchema({
  operationId: 'listInvites',
  tag,
  summary: 'List invites',
  description: 'Returns the invites of a waitlist, newest first.',
  role: 'viewer',
  params: Type.Object(waitlistParams),
  querystring: Type.Object(
    {
      ...environmentQuery,
      ...pageQuery,
      state: Type.Optional(
        oneOf(INVITE_STATES, { description: 'Only invites in this state.', examples: ['open'] }),
      ),
      entry: Type.Optional(
        Type.String({
          description: 'Only invites to the email of this entry.',
          examples: [EXAMPLE.entryId],
        }),
      ),
    },
    closed,
  ),
  answer: {
    description: 'A page of invites.',
    schema: InvitePage,
    example: { invites: [EXAMPLE], nextCursor: null },
  },
  errors: ['not_found'],
  special,
});

const revokeSchema = adminSchema({
  operationId: 'revokeInvite',
  write: true,
  tag,
  summary: 'Revoke an invite',
  description:
    'The code of an open invite stops working at once. The entry goes back to its place in the queue. The other states are final.',
  role: 'support',
  params: InviteParams,
  querystring: Type.Object(environmentQuery, closed),
  answer: {
    description: 'The invite was revoked.',
    schema: Deleted,
    example: { id: EXAMPLE.id, deleted: true },
  },
  errors: ['not_found', 'accepted', 'revoked', 'expired'],
  special,
});

const resendSchema = adminSchema({
  operationId: 'resendInvite',
  write: true,
  tag,
  summary: 'Resend an invite',
  description: 'Sends the email of an open invite again, with the same code and expiry.',
  role: 'support',
  params: InviteParams,
  querystring: Type.Object(environmentQuery, closed),
  answer: { description: 'The email is on its way.', schema: Done, example: { success: true } },
  errors: ['not_found', 'conflict'],
  special: {
    ...special,
    conflict: {
      when: 'The invite is no longer open, or invite emails are turned off.',
      message: 'this invite is accepted',
    },
  },
});

/** How codes of a queue become links. */
export async function inviteLinks(
  { waitlists, publicUrl }: AdminParts,
  queue: Queue,
): Promise<(code: string) => string> {
  const { settings } = await readParts(waitlists, queue.waitlist.internalId);
  return (code) => joinLink(settings.joinUrl, publicUrl, code);
}

export function registerInvites(app: TypedApp, parts: AdminParts): void {
  const path = '/waitlists/:waitlistId/invites';

  app.get(path, { schema: listSchema }, async (request) => {
    const { query, caller } = request;
    const queue = await queueToRead(parts, request);
    const { limit = PAGE_LIMIT_DEFAULT, cursor: before, state, entry } = query;
    const filter = { limit, before, entry, state: state === 'open' ? ('live' as const) : state };
    const { invites, more } = await browseInvites(parts.waitlists, queue, filter);
    const linkTo = await inviteLinks(parts, queue);
    const mask = maskFor(caller.actor.role);
    const shown = invites.map((invite) => presentAdminInvite(invite, mask, linkTo));
    return { invites: shown, nextCursor: more ? (shown.at(-1)?.id ?? null) : null };
  });

  app.delete(`${path}/:inviteId`, { schema: revokeSchema }, async (request) => {
    const { params, query } = request;
    const { inviteId: id } = params;
    const queue = await requireQueue(parts, params, query);
    await readInvite(parts.waitlists, queue, id); // Of this waitlist and environment.
    await revokeInvite(domainFor(parts, request), id);
    return { id, deleted: true as const };
  });

  app.post(`${path}/:inviteId/resend`, { schema: resendSchema }, async (request) => {
    const { params, query } = request;
    const queue = await requireQueue(parts, params, query);
    await resendInvite(domainFor(parts, request), queue, params.inviteId);
    return { success: true as const };
  });
}
