import Type, { type Static } from 'typebox';
import { conflict } from '../../../lib/errors.ts';
import { formatId } from '../../../lib/ids.ts';
import { NO_MAIL_SERVER } from '../../../mail/mailable.ts';
import { mailRetryJob, sendKeptJob } from '../../../mail/resend-job.ts';
import { MAIL_KINDS } from '../../../mail/templates/kinds.ts';
import { presentNewJob } from '../../../operations/core/new-job.ts';
import { closed } from '../../../operations/core/schemas.ts';
import { parseTime } from '../../../operations/core/times.ts';
import { EXAMPLE_JOB, JobSchema } from '../../../wire/job.ts';
import { named, oneOf, withExamples } from '../../../wire/schema.ts';
import type { TypedApp } from '../../typed-app.ts';
import { adminSchema } from '../core/operation.ts';
import type { AdminParts, Caller } from '../core/parts.ts';
import { domainFor, requireQueue } from '../core/waitlist-scope.ts';
import { EnvironmentQuery, NO_WAITLIST, tag, WaitlistParams } from './scope.ts';

const which = {
  kind: Type.Optional(oneOf(MAIL_KINDS, { description: 'Only this kind.' })),
  since: Type.Optional(
    Type.String({ format: 'date-time', description: 'Only emails that were recorded then or later.' }),
  ),
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

const special = {
  ...NO_WAITLIST,
  invalid_request: {
    message: 'emails in development are never sent: only emails in production can be resent',
  },
};

const retrySchema = adminSchema({
  operationId: 'retryMails',
  tag,
  summary: 'Retry failed emails',
  description:
    'Starts a job that sends failed emails again, oldest first. Skips erased people, addresses that bounced or unsubscribed, ' +
    'and invites that have ended.',
  role: 'admin',
  params: WaitlistParams,
  querystring: EnvironmentQuery,
  body: RetryRequest,
  answer: {
    status: 202,
    description: 'The job.',
    schema: JobSchema,
    example: { ...EXAMPLE_JOB, kind: 'mail-retry', state: 'queued', done: 0, total: 12 },
  },
  errors: ['not_found'],
  special,
});

const sendKeptSchema = adminSchema({
  operationId: 'sendKeptMails',
  tag,
  summary: 'Send kept emails',
  description:
    'Starts a job that sends the emails that were kept while there was no mail server, oldest first. Emails that no longer ' +
    'make sense are given up, each with the reason: of people who were erased or removed, to addresses that bounced or ' +
    'unsubscribed, for invites that have ended, and those that a newer one replaces.',
  role: 'admin',
  params: WaitlistParams,
  querystring: EnvironmentQuery,
  body: SendKeptRequest,
  answer: {
    status: 202,
    description: 'The job.',
    schema: JobSchema,
    example: { ...EXAMPLE_JOB, kind: 'mail-send-kept', state: 'queued', done: 0, total: 50 },
  },
  errors: ['not_found', 'conflict'],
  special: {
    ...special,
    conflict: {
      when: 'There is no mail server.',
      message: 'there is no mail server: set DOORLIST_SMTP_URL first',
    },
  },
});

export function registerResendJobs(app: TypedApp, parts: AdminParts): void {
  const path = '/waitlists/:waitlistId/mails';
  const start = async (job: typeof mailRetryJob, request: JobRequest) => {
    const { params, query, body } = request;
    const queue = await requireQueue(parts, params, query);
    const domain = domainFor(parts, request);
    const since = body.since === undefined ? undefined : parseTime(body.since, 'since');
    const { id } = await job.start(domain, queue, { kind: body.kind, since });
    return presentNewJob(domain, formatId('job', id));
  };

  app.post(`${path}/retry`, { schema: retrySchema }, async (request, reply) => {
    reply.code(202);
    return start(mailRetryJob, request);
  });

  app.post(`${path}/send-kept`, {
    schema: sendKeptSchema,
    preValidation: async (request) => {
      request.body ??= {};
    },
    handler: async (request, reply) => {
      const { environment } = await requireQueue(parts, request.params, request.query);
      if (environment === 'production' && !parts.emails.smtp) throw conflict(NO_MAIL_SERVER);
      reply.code(202);
      return start(sendKeptJob, request);
    },
  });
}

interface JobRequest {
  params: { waitlistId: string };
  query: { environment?: string };
  body: Static<typeof RetryRequest>;
  caller: Caller;
}
