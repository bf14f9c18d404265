import Type from 'typebox';
import { formatId } from '../../../lib/ids.ts';
import { MAIL_KINDS } from '../../../mail/kinds.ts';
import { startMailRetry } from '../../../mail/retry-job.ts';
import { readJob } from '../../../waitlist/jobs/find-jobs.ts';
import { EXAMPLE_JOB, JobSchema, presentJob } from '../../../wire/job.ts';
import { named, oneOf, withExamples } from '../../../wire/schema.ts';
import type { TypedApp } from '../../typed-app.ts';
import { adminSchema } from '../core/operation.ts';
import type { AdminParts } from '../core/parts.ts';
import { closed } from '../core/schemas.ts';
import { parseTime } from '../core/times.ts';
import { domainFor, requireQueue } from '../core/waitlist-scope.ts';
import { EnvironmentQuery, NO_WAITLIST, tag, WaitlistParams } from './scope.ts';

const RetryRequest = Type.Object(
  {
    kind: Type.Optional(oneOf(MAIL_KINDS, { description: 'Only this kind.' })),
    since: Type.Optional(
      Type.String({ format: 'date-time', description: 'Only emails that were recorded then or later.' }),
    ),
  },
  {
    ...named('MailRetryRequest'),
    ...closed,
    description: 'Which failed emails to send again. Empty: all of them.',
    ...withExamples({
      since: { summary: 'Everything since a time', value: { since: '2026-11-15T09:00:00Z' } },
    }),
  },
);

const schema = adminSchema({
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
  special: {
    ...NO_WAITLIST,
    invalid_request: {
      message: 'emails in development are never sent: only emails in production can be resent',
    },
  },
});

export function registerMailRetry(app: TypedApp, parts: AdminParts): void {
  app.post('/waitlists/:waitlistId/mails/retry', { schema }, async (request, reply) => {
    const { params, query, body } = request;
    const queue = await requireQueue(parts, params, query);
    const domain = domainFor(parts, request);
    const since = body.since === undefined ? undefined : parseTime(body.since, 'since');
    const job = await startMailRetry(domain, queue, { kind: body.kind, since });
    reply.code(202);
    return presentJob(await readJob(domain, formatId('job', job.id)));
  });
}
