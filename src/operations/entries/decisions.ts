import Type, { type Static } from 'typebox';
import type { Status } from '../../db/tables.ts';
import { invalid } from '../../lib/errors.ts';
import { formatId } from '../../lib/ids.ts';
import {
  decideEntry,
  NOTE_CHARACTERS_MAX,
  readNote,
  VERBS,
  type Verb,
} from '../../waitlist/decisions/decide.ts';
import {
  type Deciding,
  PEOPLE_NAMED_MAX,
  previewDecision,
  requireDecline,
  requireStatus,
  startDeciding,
  usualStatus,
} from '../../waitlist/decisions/decide-many.ts';
import { readEntry } from '../../waitlist/entries/browse-entries.ts';
import type { Context } from '../../waitlist/queue/context.ts';
import type { Queue } from '../../waitlist/queue/queue.ts';
import {
  AdminEntrySchema,
  EntryStatusSchema,
  EXAMPLE_ADMIN_ENTRY,
  presentAdminEntry,
} from '../../wire/entry.ts';
import { EXAMPLE_JOB, JobSchema } from '../../wire/job.ts';
import { COUNT_MAX, described, limits, named, oneOf, WORD, withExamples } from '../../wire/schema.ts';
import { presentNewJob } from '../core/new-job.ts';
import { OtherAnswer, operation } from '../core/operation.ts';
import { recordRead } from '../core/reading.ts';
import { closed } from '../core/schemas.ts';
import { entryParams } from '../core/scope.ts';
import { agreedStatus, SegmentInput, segmentOfBody } from '../core/segments.ts';

const tag = 'Entries';
const scope = 'queue';
const access = { role: 'admin', support: 'decline' } as const;

const note = Type.Optional(
  Type.String({
    ...limits({ maxLength: NOTE_CHARACTERS_MAX }),
    description: 'A note for the team. It is encrypted, and shown in the history of the entry.',
    examples: ['Works for a partner.'],
  }),
);

const email = (when: string) =>
  Type.Optional(
    Type.Boolean({
      description: `${when} to send the email \`declined\`, which has to be turned on. Default: nobody is told.`,
    }),
  );

const EntryDecision = Type.Object(
  { note },
  {
    ...named('EntryDecision'),
    ...closed,
    'x-optional': true,
    description: 'What to note with the decision.',
    ...withExamples({ note: { summary: 'With a note', value: { note: 'Works for a partner.' } } }),
  },
);

const EntryDecline = Type.Object(
  { note, email: email('Whether') },
  {
    ...named('EntryDecline'),
    ...closed,
    'x-optional': true,
    description: 'What to note with the decline, and whether to tell the person.',
    ...withExamples({
      note: { summary: 'With a note', value: { note: 'Only agencies for now.' } },
      email: { summary: 'With an email', value: { email: true } },
    }),
  },
);

const DecisionRequest = Type.Object(
  {
    decision: oneOf(VERBS, {
      description:
        '`approve` invites, `decline` takes the place in the queue and ends invites, and `reconsider` takes declines back.',
    }),
    segment: Type.Optional(SegmentInput),
    status: Type.Optional(
      described(
        EntryStatusSchema,
        'With `segment`: only entries with this status. Default: `waiting`, or `declined` to reconsider.',
      ),
    ),
    entries: Type.Optional(
      Type.Array(Type.String({ ...WORD, description: 'Id of an entry.' }), {
        ...limits({ minItems: 1, maxItems: PEOPLE_NAMED_MAX }),
        description:
          'The ids of entries, instead of `segment`. Those for whom the decision does not fit are left out.',
      }),
    ),
    note,
    email: email('With `decline`: whether'),
    dryRun: Type.Optional(
      Type.Boolean({ description: 'Only say how many it would be about, and who first.' }),
    ),
    expect: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: COUNT_MAX,
        description:
          'The `count` of a dry run that a person confirmed. If it differs by now, nothing happens. It is never about more.',
      }),
    ),
  },
  {
    ...named('DecisionRequest'),
    ...closed,
    description: 'What to decide, and about whom: exactly one of `segment` and `entries`.',
    ...withExamples({
      segment: {
        summary: 'Decline a segment',
        value: { decision: 'decline', segment: { where: { plan: 'free' } }, note: 'Not for now' },
      },
      entries: {
        summary: 'Approve two people',
        value: { decision: 'approve', entries: [EXAMPLE_ADMIN_ENTRY.id, 'ent_06gxx2p9r1yn1vp1ryss481fhx'] },
      },
    }),
  },
);

const DecisionPreview = Type.Object(
  {
    count: Type.Integer({ minimum: 0, description: 'How many people it would be about.' }),
    preview: Type.Array(AdminEntrySchema, { maxItems: 10, description: 'The first of them.' }),
  },
  { ...named('DecisionPreview'), description: 'What a decision would be about.' },
);

const ABOUT: Record<Verb, { summary: string; description: string; status: Status; conflict: string }> = {
  approve: {
    summary: 'Approve an entry',
    description:
      'Invites somebody who is waiting, pending or declined, with the lifetime that the waitlist gives invites. Sends `entry.approved` and `invite.sent`.',
    status: 'invited',
    conflict: 'somebody who is joined cannot be approved: only who is waiting or pending or declined',
  },
  decline: {
    summary: 'Decline an entry',
    description:
      'Keeps somebody without a position and ends their open invites. Nobody is told unless `email` says so: their status page shows what it did, ' +
      'signing up again changes nothing, and the gate answers as for somebody who was not invited. Credits for referrals stay. Sends `entry.declined`.',
    status: 'declined',
    conflict: 'somebody who is joined cannot be declined: only who is waiting or pending or invited',
  },
  reconsider: {
    summary: 'Take a decline back',
    description:
      'Gives a declined entry its status and its place in the joining order back. Invites stay revoked, so somebody who was `invited` is `waiting`, ' +
      'unless the waitlist leaves entries of revoked invites `invited`. Sends `entry.restored`.',
    status: 'waiting',
    conflict: 'somebody who is waiting cannot be reconsidered: only who is declined',
  },
};

const aboutOne = VERBS.map((verb) => {
  const { summary, description, status, conflict } = ABOUT[verb];
  return operation({
    id: `${verb}Entry`,
    at: `POST /waitlists/:waitlistId/entries/:entryId/${verb}`,
    tag,
    summary,
    description,
    ...access,
    scope,
    params: entryParams,
    body: verb === 'decline' ? EntryDecline : EntryDecision,
    answer: {
      description: 'The entry as it is now.',
      schema: AdminEntrySchema,
      example: { ...EXAMPLE_ADMIN_ENTRY, status, ...(status === 'waiting' ? {} : { position: null }) },
    },
    errors: {
      conflict: {
        when:
          verb === 'decline'
            ? 'The status of the entry does not allow it, or `email` asks for an email that is turned off.'
            : 'The status of the entry does not allow it.',
        message: conflict,
      },
    },
    run: async ({ context, queue, params: { entryId }, body }) => {
      await decideEntry(context, queue, entryId, verb, body);
      return presentAdminEntry(await readEntry(context, queue, entryId));
    },
  });
});

export const decisions = [
  ...aboutOne,
  operation({
    id: 'decideEntries',
    at: 'POST /waitlists/:waitlistId/decisions',
    tag,
    summary: 'Approve or decline many entries',
    description:
      'Starts a job that decides about a segment or about the entries named, as deciding about each of them does. The audit trail has one record, of the job. ' +
      'With `dryRun`, nothing happens.',
    ...access,
    scope,
    body: DecisionRequest,
    answer: {
      status: 202,
      description: 'The job.',
      schema: JobSchema,
      example: { ...EXAMPLE_JOB, kind: 'decide', state: 'queued', done: 0, total: 120 },
    },
    otherwise: {
      status: 200,
      description: 'What it would be about, for `dryRun`.',
      schema: DecisionPreview,
      example: { count: 120, preview: [EXAMPLE_ADMIN_ENTRY] },
    },
    errors: {
      changed: { message: 'expect: 120 would be declined now, not 118' },
      conflict: {
        when: '`email` asks for an email that is turned off.',
        message: 'email: emails about declines are turned off for this waitlist',
      },
    },
    run: async (call) => {
      const { context, queue, body } = call;
      const deciding = await decidingOf(context, queue, body);
      const note = readNote(body.note);
      requireDecline(body.decision, body.email);
      if (body.dryRun === true) {
        await recordRead(call, queue);
        const { count, first } = await previewDecision(context, queue, deciding);
        return new OtherAnswer({ count, preview: first.map(presentAdminEntry) });
      }
      const { email, expect } = body;
      const { id } = await startDeciding(context, queue, { ...deciding, note, email, expect });
      return presentNewJob(context, formatId('job', id));
    },
  }),
];

async function decidingOf(
  context: Context,
  queue: Queue,
  { decision: verb, segment, status, entries }: Static<typeof DecisionRequest>,
): Promise<Deciding> {
  if ((segment === undefined) === (entries === undefined))
    throw invalid('body: must have exactly one of segment and entries');
  if (entries !== undefined) {
    if (status !== undefined) throw invalid('status: can only be combined with segment');
    return { verb, who: { entries } };
  }
  const conditions = await segmentOfBody(context, queue, segment ?? {});
  const only = agreedStatus(conditions.status, status) ?? usualStatus(verb);
  requireStatus(verb, only);
  return { verb, who: { segment: { ...conditions, status: only } } };
}
