import Type, { type Static } from 'typebox';
import { formatId } from '../../../lib/ids.ts';
import { type Confirmations, countConfirmations, startConfirmations } from '../../../mail/confirmations.ts';
import { mailableFrom, mailableTo } from '../../../mail/mailable.ts';
import { EXAMPLE_MAILABLE, MailableSchema, presentMailable } from '../../../operations/core/mailable.ts';
import { presentNewJob } from '../../../operations/core/new-job.ts';
import { closed, Done } from '../../../operations/core/schemas.ts';
import { readEntry } from '../../../waitlist/entries/browse-entries.ts';
import { resendConfirmation } from '../../../waitlist/entries/confirm-entry.ts';
import { EXAMPLE_JOB, JobSchema } from '../../../wire/job.ts';
import { named, withExamples } from '../../../wire/schema.ts';
import type { TypedApp } from '../../typed-app.ts';
import { adminSchema } from '../core/operation.ts';
import type { AdminParts } from '../core/parts.ts';
import { domainFor, requireQueue } from '../core/waitlist-scope.ts';
import { EntryParams, entrySpecial } from '../entries/entry.ts';
import { EnvironmentQuery, NO_WAITLIST, tag, WaitlistParams } from './scope.ts';

const Resent = Type.Object(
  { ...Done.properties, mailable: MailableSchema },
  { ...named('ResentConfirmation'), description: 'What becomes of the email.' },
);

const oneSchema = adminSchema({
  operationId: 'resendConfirmation',
  write: true,
  tag,
  summary: 'Send a confirmation again',
  description:
    'Records another email with a link to confirm the address. `mailable` says whether it is sent.',
  role: 'support',
  params: EntryParams,
  querystring: EnvironmentQuery,
  answer: {
    description: 'The email was recorded.',
    schema: Resent,
    example: { success: true, mailable: EXAMPLE_MAILABLE },
  },
  errors: ['not_found', 'conflict'],
  special: {
    ...entrySpecial,
    conflict: {
      when: 'The entry is not pending or has no email, or confirmation emails are turned off.',
      message: 'this person has nothing to confirm: the entry is waiting',
    },
  },
});

const Request = Type.Object(
  { dryRun: Type.Optional(Type.Boolean({ description: 'Only say who would get it.' })) },
  {
    ...named('ConfirmationsRequest'),
    ...closed,
    'x-optional': true,
    description: 'Whether to only count.',
    ...withExamples({ count: { summary: 'Only count', value: { dryRun: true } } }),
  },
);

const count = (description: string) => Type.Integer({ minimum: 0, description });

const Preview = Type.Object(
  {
    asked: count('How many pending people would get an email.'),
    withoutEmail: count('How many have no email address.'),
    bounced: count('How many have an address that bounced.'),
    recent: count('How many got one within a day, or are about to.'),
    mailable: MailableSchema,
  },
  { ...named('ConfirmationsPreview'), description: 'Who would get another confirmation email.' },
);

const allSchema = adminSchema({
  operationId: 'resendConfirmations',
  tag,
  summary: 'Send all confirmations again',
  description:
    'Starts a job that sends every pending person another link to confirm their address, except to addresses that bounced and ' +
    'to people who got one within a day. With `dryRun`, nothing happens.',
  role: 'admin',
  params: WaitlistParams,
  querystring: EnvironmentQuery,
  body: Request,
  answer: {
    status: 202,
    description: 'The job.',
    schema: JobSchema,
    example: { ...EXAMPLE_JOB, kind: 'mail-confirm', state: 'queued', done: 0, total: 12 },
  },
  also: [
    {
      status: 200,
      description: 'Who would get it, for `dryRun`.',
      schema: Preview,
      example: { asked: 12, withoutEmail: 0, bounced: 1, recent: 0, mailable: EXAMPLE_MAILABLE },
    },
  ],
  errors: ['not_found', 'conflict'],
  special: {
    ...NO_WAITLIST,
    conflict: {
      when: 'There is no mail server, or confirmation emails are turned off.',
      message: 'The email "Confirm email" is off for this waitlist. Turn it on under Emails.',
    },
  },
});

export function registerConfirmations(app: TypedApp, parts: AdminParts): void {
  const { waitlists } = parts;
  const { smtp } = parts.emails;

  app.post('/waitlists/:waitlistId/entries/:entryId/confirmation', { schema: oneSchema }, async (request) => {
    const { params, query } = request;
    const queue = await requireQueue(parts, params, query);
    await resendConfirmation(domainFor(parts, request), queue, params.entryId);
    const { email } = await readEntry(waitlists, queue, params.entryId);
    const mailable = await mailableTo(waitlists, queue, 'confirm', email, smtp);
    return { success: true as const, mailable: presentMailable(mailable) };
  });

  app.post('/waitlists/:waitlistId/mails/confirmations', {
    schema: allSchema,
    preValidation: async (request) => {
      request.body ??= {};
    },
    handler: async (request, reply) => {
      const { params, query, body } = request;
      const queue = await requireQueue(parts, params, query);
      if (body.dryRun === true) {
        reply.code(200);
        const counts = await countConfirmations(waitlists, queue);
        const mailable = presentMailable(await mailableFrom(waitlists, queue, 'confirm', smtp));
        return { ...presentCounts(counts), mailable } as never;
      }
      const domain = domainFor(parts, request);
      const { id } = await startConfirmations(domain, queue, smtp);
      reply.code(202);
      return presentNewJob(domain, formatId('job', id));
    },
  });
}

function presentCounts({
  asked,
  withoutEmail,
  bounced,
  recent,
}: Confirmations): Omit<Static<typeof Preview>, 'mailable'> {
  return { asked, withoutEmail, bounced, recent };
}
