import Type, { type Static } from 'typebox';
import { bytesKey, formatId } from '../../lib/ids.ts';
import { isoTime } from '../../lib/time.ts';
import { type InviteMail, lastInviteMails } from '../../mail/invite-mails.ts';
import { mailableTo } from '../../mail/mailable.ts';
import { readParts } from '../../mail/parts.ts';
import { MAIL_STATES } from '../../mail/templates/kinds.ts';
import { whenReadable } from '../../vault/crypto.ts';
import {
  browseInvites,
  type InviteOfEntry,
  isInviteId,
  readInvite,
} from '../../waitlist/invites/browse-invites.ts';
import { revokeOne } from '../../waitlist/invites/end-invites.ts';
import { resendInvite } from '../../waitlist/invites/remind-invited.ts';
import { countOpen, startRevoking } from '../../waitlist/invites/revoke-many.ts';
import { joinLink } from '../../waitlist/links/links.ts';
import type { Queue } from '../../waitlist/queue/queue.ts';
import { findWave } from '../../waitlist/waves/waves.ts';
import {
  AdminInviteSchema,
  EXAMPLE_ADMIN_INVITE,
  INVITE_STATES,
  presentAdminInvite,
} from '../../wire/invite.ts';
import { EXAMPLE_JOB, JobSchema } from '../../wire/job.ts';
import type { Mask } from '../../wire/mask.ts';
import { named, nullable, oneOf, time, WORD, withExamples } from '../../wire/schema.ts';
import { EXAMPLE_WAVE } from '../../wire/wave.ts';
import { EXAMPLE_MAILABLE, MailableSchema, presentMailable } from '../core/mailable.ts';
import { presentNewJob } from '../core/new-job.ts';
import { OtherAnswer, operation } from '../core/operation.ts';
import { nextCursorSchema, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX, pageQuery } from '../core/pages.ts';
import type { OperationParts } from '../core/parts.ts';
import { refuseToViewers } from '../core/reading.ts';
import { closed, Deleted, Done } from '../core/schemas.ts';
import { parseTime } from '../core/times.ts';
import { mailFields } from '../mails/mail.ts';

const tag = 'Invites';
const scope = 'queue';
const params = {
  inviteId: Type.String({ ...WORD, description: 'Id of the invite.', examples: [EXAMPLE_ADMIN_INVITE.id] }),
};

const InviteMailObject = Type.Object(
  {
    id: mailFields.id,
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

const InvitePage = Type.Object(
  {
    invites: Type.Array(InviteObject, { maxItems: PAGE_LIMIT_MAX, description: 'Newest first.' }),
    nextCursor: nextCursorSchema,
  },
  { ...named('InvitePage'), description: 'One page of invites.' },
);

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

const ResentInvite = Type.Object(
  { ...Done.properties, mailable: MailableSchema },
  { ...named('ResentInvite'), description: 'What becomes of the email.' },
);

export const invites = [
  operation({
    id: 'listInvites',
    at: 'GET /waitlists/:waitlistId/invites',
    tag,
    summary: 'List invites',
    description: 'Returns the invites of a waitlist, newest first.',
    role: 'viewer',
    shows: 'people',
    scope,
    query: {
      ...pageQuery,
      state: Type.Optional(
        oneOf(INVITE_STATES, { description: 'Only invites in this state.', examples: ['open'] }),
      ),
      entry: Type.Optional(
        Type.String({
          ...WORD,
          description: 'Only invites to the email of this entry.',
          examples: [EXAMPLE_INVITE.entryId],
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
    answer: {
      description: 'A page of invites.',
      schema: InvitePage,
      example: { invites: [EXAMPLE_INVITE], nextCursor: null },
    },
    errors: {
      forbidden: {
        when: 'The role is not sufficient, or a viewer sent a `search` that is not an id.',
        message: 'search: requires the support role, because it tells about people',
      },
    },
    run: async (call) => {
      const { context, parts, queue, mask, query } = call;
      const { limit = PAGE_LIMIT_DEFAULT, cursor: before, state, entry, search } = query;
      if (search !== undefined && !isInviteId(search)) await refuseToViewers(call, queue, 'search');
      const filter = { limit, before, entry, search, state: state === 'open' ? ('live' as const) : state };
      const { invites, more } = await browseInvites(context, queue, filter);
      const shown = await presentInvites(parts, queue, invites, mask);
      return { invites: shown, nextCursor: more ? (shown.at(-1)?.id ?? null) : null };
    },
  }),
  operation({
    id: 'revokeInvite',
    at: 'DELETE /waitlists/:waitlistId/invites/:inviteId',
    tag,
    summary: 'Revoke an invite',
    description:
      'The code of an open invite stops working at once. The entry goes back to its place in the queue. The other states are final.',
    role: 'support',
    scope,
    params,
    answer: {
      description: 'The invite was revoked.',
      schema: Deleted,
      example: { id: EXAMPLE_INVITE.id, deleted: true },
    },
    errors: { accepted: {}, revoked: {}, expired: {} },
    run: async ({ context, queue, params: { inviteId: id } }) => {
      await revokeOne(context, queue, (await readInvite(context, queue, id)).id);
      return { id, deleted: true as const };
    },
  }),
  operation({
    id: 'revokeInvites',
    at: 'POST /waitlists/:waitlistId/invites/revoke',
    tag,
    summary: 'Revoke many invites',
    description:
      'Starts a job that revokes all open invites, those of a wave, or those since a time. Invites that are created after the request ' +
      'stay open. A wave that is not paused invites others in their place. With `dryRun`, nothing happens.',
    role: 'support',
    scope,
    body: RevokeRequest,
    answer: {
      status: 202,
      description: 'The job.',
      schema: JobSchema,
      example: { ...EXAMPLE_JOB, kind: 'revoke', state: 'queued', done: 0 },
    },
    otherwise: {
      status: 200,
      description: 'How many, for `dryRun`.',
      schema: RevokePreview,
      example: { count: 2000 },
    },
    errors: {
      not_found: {
        when: 'The waitlist or the wave does not exist.',
        message: `there is no wave ${EXAMPLE_WAVE.id}`,
      },
    },
    run: async ({ context, queue, body }) => {
      const wave = body.wave === undefined ? undefined : await findWave(context.db.query, queue, body.wave);
      const since = body.since === undefined ? undefined : parseTime(body.since, 'since');
      const which = { waveId: wave?.id, since };
      if (body.dryRun === true) return new OtherAnswer({ count: await countOpen(context, queue, which) });
      const { id } = await startRevoking(context, queue, which);
      return presentNewJob(context, formatId('job', id));
    },
  }),
  operation({
    id: 'resendInvite',
    at: 'POST /waitlists/:waitlistId/invites/:inviteId/resend',
    tag,
    summary: 'Resend an invite',
    description:
      'Records the email of an open invite again, with the same code and expiry. `mailable` says whether it is sent.',
    role: 'admin',
    support: 'resend',
    scope,
    params,
    answer: {
      description: 'The email was recorded.',
      schema: ResentInvite,
      example: { success: true, mailable: EXAMPLE_MAILABLE },
    },
    errors: {
      conflict: {
        when: 'The invite is no longer open, or invite emails are turned off.',
        message: 'this invite is accepted',
      },
    },
    run: async ({ context, parts, queue, params: { inviteId } }) => {
      const { email } = await readInvite(context, queue, inviteId);
      const mailable = await mailableTo(context, queue, 'invite', email, parts.emails.smtp);
      await resendInvite(context, queue, inviteId);
      return { success: true as const, mailable: presentMailable(mailable) };
    },
  }),
];

/** With their links and emails, as the caller may see them. */
export async function presentInvites(
  { waitlists, publicUrl }: OperationParts,
  queue: Queue,
  invites: readonly InviteOfEntry[],
  mask: Mask,
): Promise<Static<typeof InviteObject>[]> {
  const parts = await whenReadable(readParts(waitlists, queue.waitlist.internalId));
  const ids = invites.map(({ id }) => id);
  const mails = await lastInviteMails(waitlists, queue, ids);
  // Codes of a waitlist whose settings are damaged work on our own page.
  const linkTo = (code: string) => joinLink(parts?.settings.joinUrl ?? null, publicUrl, code);
  return invites.map((invite) => ({
    ...presentAdminInvite(invite, mask, linkTo),
    mail: presentInviteMail(mails.get(bytesKey(invite.id))),
  }));
}

function presentInviteMail(mail: InviteMail | undefined): Static<typeof InviteMailObject> | null {
  if (!mail) return null;
  const { id, state, error, createdAt } = mail;
  return { id, state, error, createdAt: isoTime(createdAt) };
}
