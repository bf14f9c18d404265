import Type, { type Static } from 'typebox';
import { conflict } from '../../lib/errors.ts';
import { formatId } from '../../lib/ids.ts';
import { type Confirmations, countConfirmations, startConfirmations } from '../../mail/confirmations.ts';
import { mailableFrom, mailableTo, NO_MAIL_SERVER } from '../../mail/mailable.ts';
import { mailRetryJob, sendKeptJob } from '../../mail/resend-job.ts';
import { MAIL_KINDS } from '../../mail/templates/kinds.ts';
import { readEntry } from '../../waitlist/entries/browse-entries.ts';
import { resendConfirmation } from '../../waitlist/entries/confirm-entry.ts';
import type { Context } from '../../waitlist/queue/context.ts';
import type { Queue } from '../../waitlist/queue/queue.ts';
import { EXAMPLE_JOB, JobSchema } from '../../wire/job.ts';
import { named, oneOf, withExamples } from '../../wire/schema.ts';
import { EXAMPLE_MAILABLE, MailableSchema, presentMailable } from '../core/mailable.ts';
import { presentNewJob } from '../core/new-job.ts';
import { OtherAnswer, operation } from '../core/operation.ts';
import { closed, Done } from '../core/schemas.ts';
import { entryParams } from '../core/scope.ts';
import { parseTime } from '../core/times.ts';
import { tag } from './mail.ts';

const scope = 'queue';
const which = {
  kind: Type.Optional(oneOf(MAIL_KINDS, { description: 'Only this kind.' })),
  since: Type.Optional(
    Type.String({ format: 'date-time', description: 'Only emails that were recorded then or later.' }),
  ),
};
const onlyInProduction = {
  message: 'emails in development are never sent: only emails in production can be resent',
};

const RetryRequest = Type.Object(which, {
  ...named('MailRetryRequest'),
  ...closed,
  description: 'Which failed emails to send again. Empty: all of them.',
  ...withExamples({
    since: { summary: 'Everything since a time', value: { since: '2026-11-15T09:00:00Z' } },
  }),
});

const SendKeptRequest = Type.Object(which, {
  ...named('MailSendKeptRequest'),
  ...closed,
  'x-optional': true,
  description: 'Which kept emails to send. Empty: all of them.',
  ...withExamples({ invites: { summary: 'Only invites', value: { kind: 'invite' } } }),
});

export const mailResending = [
  operation({
    id: 'retryMails',
    at: 'POST /waitlists/:waitlistId/mails/retry',
    tag,
    summary: 'Retry failed emails',
    description:
      'Starts a job that sends failed emails again, oldest first. Skips erased people, addresses that bounced or unsubscribed, ' +
      'and invites that have ended.',
    role: 'admin',
    scope,
    body: RetryRequest,
    answer: {
      status: 202,
      description: 'The job.',
      schema: JobSchema,
      example: { ...EXAMPLE_JOB, kind: 'mail-retry', state: 'queued', done: 0, total: 12 },
    },
    errors: { invalid_request: onlyInProduction },
    run: ({ context, queue, body }) => start(mailRetryJob, context, queue, body),
  }),
  operation({
    id: 'sendKeptMails',
    at: 'POST /waitlists/:waitlistId/mails/send-kept',
    tag,
    summary: 'Send kept emails',
    description:
      'Starts a job that sends the emails that were kept while there was no mail server, oldest first. Emails that no longer ' +
      'make sense are given up, each with the reason: of people who were erased or removed, to addresses that bounced or ' +
      'unsubscribed, for invites that have ended, and those that a newer one replaces.',
    role: 'admin',
    scope,
    body: SendKeptRequest,
    answer: {
      status: 202,
      description: 'The job.',
      schema: JobSchema,
      example: { ...EXAMPLE_JOB, kind: 'mail-send-kept', state: 'queued', done: 0, total: 50 },
    },
    errors: {
      invalid_request: onlyInProduction,
      conflict: {
        when: 'There is no mail server.',
        message: 'there is no mail server: set DOORLIST_SMTP_URL first',
      },
    },
    run: async ({ context, parts, queue, body }) => {
      if (queue.environment === 'production' && !parts.emails.smtp) throw conflict(NO_MAIL_SERVER);
      return start(sendKeptJob, context, queue, body);
    },
  }),
];

async function start(
  job: typeof mailRetryJob,
  context: Context,
  queue: Queue,
  { kind, since }: Static<typeof RetryRequest>,
) {
  const from = since === undefined ? undefined : parseTime(since, 'since');
  const { id } = await job.start(context, queue, { kind, since: from });
  return presentNewJob(context, formatId('job', id));
}

const ResentConfirmation = Type.Object(
  { ...Done.properties, mailable: MailableSchema },
  { ...named('ResentConfirmation'), description: 'What becomes of the email.' },
);

const ConfirmationsRequest = Type.Object(
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

const ConfirmationsPreview = Type.Object(
  {
    asked: count('How many pending people would get an email.'),
    withoutEmail: count('How many have no email address.'),
    bounced: count('How many have an address that bounced.'),
    recent: count('How many got one within a day, or are about to.'),
    mailable: MailableSchema,
  },
  { ...named('ConfirmationsPreview'), description: 'Who would get another confirmation email.' },
);

export const confirmations = [
  operation({
    id: 'resendConfirmation',
    at: 'POST /waitlists/:waitlistId/entries/:entryId/confirmation',
    tag,
    summary: 'Send a confirmation again',
    description:
      'Records another email with a link to confirm the address. `mailable` says whether it is sent.',
    role: 'admin',
    support: 'resend',
    scope,
    params: entryParams,
    answer: {
      description: 'The email was recorded.',
      schema: ResentConfirmation,
      example: { success: true, mailable: EXAMPLE_MAILABLE },
    },
    errors: {
      conflict: {
        when: 'The entry is not pending or has no email, or confirmation emails are turned off.',
        message: 'this person has nothing to confirm: the entry is waiting',
      },
    },
    run: async ({ context, parts, queue, params: { entryId } }) => {
      await resendConfirmation(context, queue, entryId);
      const { email } = await readEntry(context, queue, entryId);
      const mailable = await mailableTo(context, queue, 'confirm', email, parts.emails.smtp);
      return { success: true as const, mailable: presentMailable(mailable) };
    },
  }),
  operation({
    id: 'resendConfirmations',
    at: 'POST /waitlists/:waitlistId/mails/confirmations',
    tag,
    summary: 'Send all confirmations again',
    description:
      'Starts a job that sends every pending person another link to confirm their address, except to addresses that bounced and ' +
      'to people who got one within a day. With `dryRun`, nothing happens.',
    role: 'admin',
    scope,
    body: ConfirmationsRequest,
    answer: {
      status: 202,
      description: 'The job.',
      schema: JobSchema,
      example: { ...EXAMPLE_JOB, kind: 'mail-confirm', state: 'queued', done: 0, total: 12 },
    },
    otherwise: {
      status: 200,
      description: 'Who would get it, for `dryRun`.',
      schema: ConfirmationsPreview,
      example: { asked: 12, withoutEmail: 0, bounced: 1, recent: 0, mailable: EXAMPLE_MAILABLE },
    },
    errors: {
      conflict: {
        when: 'There is no mail server, or confirmation emails are turned off.',
        message: 'The email "Confirm email" is off for this waitlist. Turn it on under Emails.',
      },
    },
    run: async ({ context, parts, queue, body: { dryRun } }) => {
      const { smtp } = parts.emails;
      if (dryRun === true) {
        const counts = presentCounts(await countConfirmations(context, queue));
        const mailable = presentMailable(await mailableFrom(context, queue, 'confirm', smtp));
        return new OtherAnswer({ ...counts, mailable });
      }
      const { id } = await startConfirmations(context, queue, smtp);
      return presentNewJob(context, formatId('job', id));
    },
  }),
];

function presentCounts({ asked, withoutEmail, bounced, recent }: Confirmations) {
  return { asked, withoutEmail, bounced, recent };
}
