import Type, { type Static } from 'typebox';
import { sharedNow } from '../../db/shared-clock.ts';
import { requireEmail } from '../../lib/email.ts';
import { invalid } from '../../lib/errors.ts';
import { formatId } from '../../lib/ids.ts';
import { DAY_MS } from '../../lib/time.ts';
import { leftToday, mailableFrom, mailableTo } from '../../mail/mailable.ts';
import { searchEntry } from '../../waitlist/finding/search-entry.ts';
import { hasOpenInvite, readInvite } from '../../waitlist/invites/browse-invites.ts';
import { createInvite, refuseOff } from '../../waitlist/invites/create-invites.ts';
import type { Selection } from '../../waitlist/invites/invite-run.ts';
import { previewInvites, queueInviteRun } from '../../waitlist/invites/preview-invites.ts';
import type { Context } from '../../waitlist/queue/context.ts';
import type { Expiry, Lifetime } from '../../waitlist/queue/expiry.ts';
import type { Queue } from '../../waitlist/queue/queue.ts';
import { AdminEntrySchema, EXAMPLE_ADMIN_ENTRY, presentAdminEntry } from '../../wire/entry.ts';
import { EXAMPLE_JOB, JobSchema } from '../../wire/job.ts';
import { described, EMAIL, limits, named, nullable, WORD, withExamples } from '../../wire/schema.ts';
import { EXAMPLE_MAILABLE, MailableSchema, presentMailable } from '../core/mailable.ts';
import { presentNewJob } from '../core/new-job.ts';
import { OtherAnswer, operation } from '../core/operation.ts';
import { recordRead } from '../core/reading.ts';
import { closed } from '../core/schemas.ts';
import { SegmentInput, segmentOfBody } from '../core/segments.ts';
import { parseTimeOrNull } from '../core/times.ts';
import { EXAMPLE_INVITE, InviteObject, presentInvites } from './invites.ts';

const FIRST_MAX = 999_999_999;
/** A hundred years: enough for an expiry, and far from the end of time. */
const EXPIRES_IN_MAX_MS = 100 * 365 * DAY_MS;

const InviteRequest = Type.Object(
  {
    email: Type.Optional(
      Type.String({
        ...limits(EMAIL),
        description: 'Invite this email, whether or not it is on the waitlist.',
      }),
    ),
    first: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: FIRST_MAX,
        description: 'Invite this many from the front of the queue. Entries without an email are skipped.',
      }),
    ),
    segment: Type.Optional(SegmentInput),
    expiresAt: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        ...WORD,
        description: 'ISO 8601 time when the invites expire. `null`: never. Default: as the waitlist says.',
      }),
    ),
    expiresInMs: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: EXPIRES_IN_MAX_MS,
        description: 'Milliseconds until the invites expire, instead of `expiresAt`.',
      }),
    ),
    dryRun: Type.Optional(
      Type.Boolean({ description: 'Only say how many would be invited, and who first.' }),
    ),
    expect: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: FIRST_MAX,
        description:
          'The `count` of a dry run that a person confirmed. If it differs by now, nothing happens. Never more than ' +
          'this many are invited. To count more than 50,000 entries would hold signups up, so a change in the very moment ' +
          'of the start can then go unnoticed.',
      }),
    ),
  },
  {
    ...named('InviteRequest'),
    ...closed,
    description: 'Who to invite: exactly one of `email`, `first` and `segment`.',
    ...withExamples({
      email: { summary: 'One person', value: { email: 'ada@example.com' } },
      first: { summary: 'The next hundred', value: { first: 100, expiresInMs: 604_800_000, expect: 100 } },
      segment: { summary: 'A segment', value: { segment: { where: { plan: 'pro' } }, dryRun: true } },
    }),
  },
);

const Preview = Type.Object(
  {
    count: Type.Integer({ minimum: 0, description: 'How many would be invited.' }),
    preview: Type.Array(AdminEntrySchema, { maxItems: 10, description: 'The first of them.' }),
    mailable: described(MailableSchema, 'Whether invite emails are sent: to this person, or at all.'),
    bounced: Type.Integer({
      minimum: 0,
      description: 'How many of them get no email because their address bounced.',
    }),
    leftToday: nullable<number>('integer', {
      minimum: 0,
      description:
        'How many of the emails the warm-up still sends today. The others wait for the next days. `null` without a warm-up.',
    }),
    hasOpenInvite: nullable<boolean>('boolean', {
      description:
        'Whether this `email` has an open invite already, on the waitlist or not. `null` for `first` and `segment`.',
    }),
  },
  { ...named('InvitePreview'), description: 'What an invite would do.' },
);

const CreatedInvite = Type.Object(
  { ...InviteObject.properties, mailable: MailableSchema },
  { ...named('CreatedInvite'), description: 'An invite, and whether its email is sent.' },
);

const InviteJob = Type.Object(
  { ...JobSchema.properties, mailable: MailableSchema },
  { ...named('InviteJob'), description: 'A job that invites people, and whether invite emails are sent.' },
);

export const createInvites = operation({
  id: 'createInvites',
  at: 'POST /waitlists/:waitlistId/invites',
  tag: 'Invites',
  summary: 'Invite people',
  description:
    'Invites one person and returns the invite, or starts a job that invites many. With `dryRun`, nothing happens. ' +
    '`mailable` says whether emails are sent.',
  role: 'support',
  scope: 'queue',
  body: InviteRequest,
  answer: {
    status: 201,
    description: 'The invite, for `email`.',
    schema: CreatedInvite,
    example: { ...EXAMPLE_INVITE, mailable: EXAMPLE_MAILABLE },
  },
  otherwise: [
    {
      status: 202,
      description: 'The job, for `first` and `segment`.',
      schema: InviteJob,
      example: { ...EXAMPLE_JOB, mailable: EXAMPLE_MAILABLE },
    },
    {
      status: 200,
      description: 'What would happen, for `dryRun`.',
      schema: Preview,
      example: {
        ...{ count: 120, preview: [EXAMPLE_ADMIN_ENTRY], mailable: EXAMPLE_MAILABLE, bounced: 2 },
        ...{ leftToday: null, hasOpenInvite: null },
      },
    },
  ],
  errors: {
    conflict: {
      when: 'The person was removed from the waitlist, or declined.',
      message: 'email: this person was removed from the waitlist; erase the entry to invite them again',
    },
    changed: {},
  },
  run: async (call) => {
    const { context, parts, queue, mask, body } = call;
    const { expect } = body;
    const { smtp } = parts.emails;
    const who = await selectionOf(context, queue, body);
    const expiresAt = await expiryOf(context, body);
    if (body.dryRun === true) {
      await recordRead(call, queue);
      return new OtherAnswer(await preview(context, queue, who, smtp), 200);
    }
    if (typeof who === 'string') {
      if (expect !== undefined && expect !== 1) throw invalid('expect: with email, it can only be 1');
      const mailable = await mailableTo(context, queue, 'invite', who, smtp);
      const { id } = await createInvite(context, queue, { email: who, expiresAt });
      const invite = await readInvite(context, queue, formatId('inv', id));
      const [presented] = await presentInvites(parts, queue, [invite], mask);
      return { ...(presented as NonNullable<typeof presented>), mailable: presentMailable(mailable) };
    }
    const mailable = presentMailable(await mailableFrom(context, queue, 'invite', smtp));
    const { id } = await queueInviteRun(context, queue, { selection: who, expiresAt, expect });
    return new OtherAnswer({ ...(await presentNewJob(context, formatId('job', id))), mailable }, 202);
  },
});

type Body = Static<typeof InviteRequest>;

async function selectionOf(
  context: Context,
  queue: Queue,
  { email, first, segment }: Body,
): Promise<string | Selection> {
  const given = [email, first, segment].filter((each) => each !== undefined);
  if (given.length !== 1) throw invalid('body: must have exactly one of email, first and segment');
  if (email !== undefined) {
    return requireEmail(email).shown;
  }
  if (first !== undefined) return { first };
  const { status = 'waiting', ...conditions } = await segmentOfBody(context, queue, segment ?? {});
  if (status !== 'waiting')
    throw invalid(`segment.saved: is about people who are ${status}; only waiting people can be invited`);
  return { segment: { ...conditions, status } };
}

async function expiryOf(context: Context, { expiresAt, expiresInMs }: Body): Promise<Expiry | Lifetime> {
  if (expiresAt !== undefined && expiresInMs !== undefined)
    throw invalid('expiresInMs: cannot be combined with expiresAt');
  if (expiresInMs !== undefined) return { lifetimeMs: expiresInMs };
  if (expiresAt === undefined) return undefined;
  const time = parseTimeOrNull(expiresAt, 'expiresAt');
  if (time !== null && time <= (await sharedNow(context))) throw invalid('expiresAt: must be in the future');
  return time;
}

async function preview(
  context: Context,
  queue: Queue,
  who: string | Selection,
  hasServer: boolean,
): Promise<Static<typeof Preview>> {
  const left = queue.environment === 'production' ? await leftToday(context, queue) : null;
  if (typeof who === 'string') {
    const entry = await searchEntry(context, queue, who);
    refuseOff(entry);
    const mailable = presentMailable(await mailableTo(context, queue, 'invite', who, hasServer));
    const bounced = mailable.reason === 'bounced' ? 1 : 0;
    const preview = entry ? [presentAdminEntry(entry)] : [];
    const isOpen = await hasOpenInvite(context, queue, who);
    return { count: 1, preview, mailable, bounced, leftToday: left, hasOpenInvite: isOpen };
  }
  const { count, first, bounced } = await previewInvites(context, queue, who);
  const mailable = presentMailable(await mailableFrom(context, queue, 'invite', hasServer));
  const preview = first.map(presentAdminEntry);
  return { count, preview, mailable, bounced, leftToday: left, hasOpenInvite: null };
}
