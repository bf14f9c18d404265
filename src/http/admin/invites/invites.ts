import Type from 'typebox';
import { formatId } from '../../../lib/ids.ts';
import { mailableTo } from '../../../mail/mailable.ts';
import { EXAMPLE_MAILABLE, MailableSchema, presentMailable } from '../../../operations/core/mailable.ts';
import { presentNewJob } from '../../../operations/core/new-job.ts';
import {
  nextCursorSchema,
  PAGE_LIMIT_DEFAULT,
  PAGE_LIMIT_MAX,
  pageQuery,
} from '../../../operations/core/pages.ts';
import { closed, Deleted, Done } from '../../../operations/core/schemas.ts';
import { parseTime } from '../../../operations/core/times.ts';
import { browseInvites, isInviteId, readInvite } from '../../../waitlist/invites/browse-invites.ts';
import { revokeOne } from '../../../waitlist/invites/end-invites.ts';
import { resendInvite } from '../../../waitlist/invites/remind-invited.ts';
import { countOpen, startRevoking } from '../../../waitlist/invites/revoke-many.ts';
import { findWave } from '../../../waitlist/waves/waves.ts';
import { INVITE_STATES } from '../../../wire/invite.ts';
import { EXAMPLE_JOB, JobSchema } from '../../../wire/job.ts';
import { named, oneOf, WORD, withExamples } from '../../../wire/schema.ts';
import { EXAMPLE_WAVE } from '../../../wire/wave.ts';
import type { TypedApp } from '../../typed-app.ts';
import { adminSchema } from '../core/operation.ts';
import type { AdminParts } from '../core/parts.ts';
import { recordRead, refuseToViewers } from '../core/reading.ts';
import { domainFor, environmentQuery, requireQueue, waitlistParams } from '../core/waitlist-scope.ts';
import { EXAMPLE_INVITE as EXAMPLE, InviteObject, presentInvites } from './invite-object.ts';

const tag = 'Invites';
const special = {
  not_found: {
    when: 'The waitlist or the invite does not exist.',
    message: `there is no invite ${EXAMPLE.id}`,
  },
};
const InviteParams = Type.Object({
  ...waitlistParams,
  inviteId: Type.String({ ...WORD, description: 'Id of the invite.', examples: [EXAMPLE.id] }),
});

const InvitePage = Type.Object(
  {
    invites: Type.Array(InviteObject, { maxItems: PAGE_LIMIT_MAX, description: 'Newest first.' }),
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
          ...WORD,
          description: 'Only invites to the email of this entry.',
          examples: [EXAMPLE.entryId],
        }),
      ),
      search: Type.Optional(
        Type.String({
          maxLength: 400,
          description:
            'Only invites with this exact email or code, or the one with this id. Viewers can only search by id.',
          examples: ['ada@example.com'],
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
  special: {
    ...special,
    forbidden: {
      when: 'The role is not sufficient, or a viewer sent a `search` that is not an id.',
      message: 'search: requires the support role, because it tells about people',
    },
  },
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

const RevokeRequest = Type.Object(
  {
    wave: Type.Optional(
      Type.String({ ...WORD, description: 'Only invites of this wave.', examples: [EXAMPLE_WAVE.id] }),
    ),
    since: Type.Optional(
      Type.String({ format: 'date-time', description: 'Only invites that were created then or later.' }),
    ),
    dryRun: Type.Optional(Type.Boolean({ description: 'Only say how many would be revoked.' })),
  },
  {
    ...named('RevokeInvitesRequest'),
    ...closed,
    'x-optional': true,
    description: 'Which open invites to revoke. Empty: all of them.',
    ...withExamples({
      wave: { summary: 'What a wave has sent', value: { wave: EXAMPLE_WAVE.id } },
      since: { summary: 'Everything since a time', value: { since: '2026-11-15T09:00:00Z' } },
      count: { summary: 'Only count', value: { dryRun: true } },
    }),
  },
);

const RevokePreview = Type.Object(
  { count: Type.Integer({ minimum: 0, description: 'How many invites would be revoked.' }) },
  { ...named('RevokeInvitesPreview'), description: 'What revoking would do.' },
);

const revokeManySchema = adminSchema({
  operationId: 'revokeInvites',
  tag,
  summary: 'Revoke many invites',
  description:
    'Starts a job that revokes all open invites, those of a wave, or those since a time. Invites that are created after the request ' +
    'stay open. A wave that is not paused invites others in their place. With `dryRun`, nothing happens.',
  role: 'support',
  params: Type.Object(waitlistParams),
  querystring: Type.Object(environmentQuery, closed),
  body: RevokeRequest,
  answer: {
    status: 202,
    description: 'The job.',
    schema: JobSchema,
    example: { ...EXAMPLE_JOB, kind: 'revoke', state: 'queued', done: 0 },
  },
  also: [
    {
      status: 200,
      description: 'How many, for `dryRun`.',
      schema: RevokePreview,
      example: { count: 2000 },
    },
  ],
  errors: ['not_found'],
  special: {
    not_found: {
      when: 'The waitlist or the wave does not exist.',
      message: `there is no wave ${EXAMPLE_WAVE.id}`,
    },
  },
});

const ResentInvite = Type.Object(
  { ...Done.properties, mailable: MailableSchema },
  { ...named('ResentInvite'), description: 'What becomes of the email.' },
);

const resendSchema = adminSchema({
  operationId: 'resendInvite',
  write: true,
  tag,
  summary: 'Resend an invite',
  description:
    'Records the email of an open invite again, with the same code and expiry. `mailable` says whether it is sent.',
  role: 'support',
  params: InviteParams,
  querystring: Type.Object(environmentQuery, closed),
  answer: {
    description: 'The email was recorded.',
    schema: ResentInvite,
    example: { success: true, mailable: EXAMPLE_MAILABLE },
  },
  errors: ['not_found', 'conflict'],
  special: {
    ...special,
    conflict: {
      when: 'The invite is no longer open, or invite emails are turned off.',
      message: 'this invite is accepted',
    },
  },
});

export function registerInvites(app: TypedApp, parts: AdminParts): void {
  const path = '/waitlists/:waitlistId/invites';

  app.get(path, { schema: listSchema }, async (request) => {
    const { params, query, caller } = request;
    const { limit = PAGE_LIMIT_DEFAULT, cursor: before, state, entry, search } = query;
    const queue = await requireQueue(parts, params, query);
    if (search !== undefined && !isInviteId(search)) await refuseToViewers(parts, request, queue, 'search');
    await recordRead(parts, request, queue);
    const filter = { limit, before, entry, search, state: state === 'open' ? ('live' as const) : state };
    const { invites, more } = await browseInvites(parts.waitlists, queue, filter);
    const shown = await presentInvites(parts, caller, queue, invites);
    return { invites: shown, nextCursor: more ? (shown.at(-1)?.id ?? null) : null };
  });

  app.delete(`${path}/:inviteId`, { schema: revokeSchema }, async (request) => {
    const { params, query } = request;
    const { inviteId: id } = params;
    const queue = await requireQueue(parts, params, query);
    const invite = await readInvite(parts.waitlists, queue, id);
    await revokeOne(domainFor(parts, request), queue, invite.id);
    return { id, deleted: true as const };
  });

  app.post(`${path}/revoke`, {
    schema: revokeManySchema,
    preValidation: async (request) => {
      request.body ??= {};
    },
    handler: async (request, reply) => {
      const { params, query, body } = request;
      const queue = await requireQueue(parts, params, query);
      const domain = domainFor(parts, request);
      const wave = body.wave === undefined ? undefined : await findWave(domain.db.query, queue, body.wave);
      const since = body.since === undefined ? undefined : parseTime(body.since, 'since');
      const which = { waveId: wave?.id, since };
      if (body.dryRun === true) {
        reply.code(200);
        return { count: await countOpen(domain, queue, which) } as never;
      }
      const { id } = await startRevoking(domain, queue, which);
      reply.code(202);
      return presentNewJob(domain, formatId('job', id));
    },
  });

  app.post(`${path}/:inviteId/resend`, { schema: resendSchema }, async (request) => {
    const { params, query } = request;
    const queue = await requireQueue(parts, params, query);
    const { waitlists, emails } = parts;
    const { email } = await readInvite(waitlists, queue, params.inviteId);
    const mailable = await mailableTo(waitlists, queue, 'invite', email, emails.smtp);
    await resendInvite(domainFor(parts, request), queue, params.inviteId);
    return { success: true as const, mailable: presentMailable(mailable) };
  });
}
