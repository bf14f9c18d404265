import Type from 'typebox';
import { DoorlistError } from '../../../lib/errors.ts';
import { JobPage, readJobPage } from '../../../operations/core/job-page.ts';
import { pageQuery } from '../../../operations/core/pages.ts';
import { closed } from '../../../operations/core/schemas.ts';
import { mayActAs, type Role } from '../../../operators/roles.ts';
import { cancelJob, readJob } from '../../../waitlist/jobs/find-jobs.ts';
import { EXAMPLE_JOB, JobSchema, presentJob } from '../../../wire/job.ts';
import { maskFor, UNMASKED } from '../../../wire/mask.ts';
import { WORD } from '../../../wire/schema.ts';
import type { TypedApp } from '../../typed-app.ts';
import { adminSchema } from '../core/operation.ts';
import type { AdminParts } from '../core/parts.ts';
import { domainFor, environmentQuery, requireQueue, waitlistParams } from '../core/waitlist-scope.ts';

const tag = 'Jobs';
const special = {
  not_found: { when: 'The job does not exist.', message: `there is no job ${EXAMPLE_JOB.id}` },
};

const JobParams = Type.Object({
  jobId: Type.String({ ...WORD, description: 'Id of the job.', examples: [EXAMPLE_JOB.id] }),
});

const readSchema = adminSchema({
  operationId: 'getJob',
  tag,
  summary: 'Get a job',
  description:
    'Returns a job and its progress. Finished jobs are kept for 30 days. Viewers get no numbers of invites, waves and exports, which can choose people by metadata.',
  role: 'viewer',
  params: JobParams,
  answer: { description: 'The job.', schema: JobSchema, example: EXAMPLE_JOB },
  errors: ['not_found'],
  special,
});

const cancelSchema = adminSchema({
  operationId: 'cancelJob',
  write: true,
  tag,
  summary: 'Cancel a job',
  description:
    'Ends a job after its current step. What it has done so far stays. A job that only an admin can start, only an admin can cancel.',
  role: 'support',
  params: JobParams,
  answer: {
    description: 'The job is being cancelled. Its state is `cancelled` once the current step is done.',
    schema: JobSchema,
    example: { ...EXAMPLE_JOB, state: 'cancelled', finishedAt: '2026-11-15T09:30:02.000Z' },
  },
  errors: ['not_found', 'conflict'],
  special: {
    ...special,
    conflict: { when: 'The job has already ended.', message: 'this job is already done' },
  },
});

const listSchema = adminSchema({
  operationId: 'listJobs',
  tag,
  summary: "List a waitlist's jobs",
  description: 'Returns the jobs of a waitlist, newest first. Finished jobs are kept for 30 days.',
  role: 'viewer',
  params: Type.Object(waitlistParams),
  querystring: Type.Object({ ...environmentQuery, ...pageQuery }, closed),
  answer: {
    description: 'A page of jobs.',
    schema: JobPage,
    example: { jobs: [EXAMPLE_JOB], nextCursor: null },
  },
  errors: ['not_found'],
  special: { not_found: { when: 'The waitlist does not exist.', message: 'there is no waitlist wl_acme' } },
});

export function registerJobs(app: TypedApp, parts: AdminParts): void {
  app.get('/jobs/:jobId', { schema: readSchema }, async ({ params, caller }) =>
    presentJob(await readJob(parts.waitlists, params.jobId), maskFor(caller.actor.role)),
  );

  app.delete('/jobs/:jobId', { schema: cancelSchema }, async (request) => {
    const domain = domainFor(parts, request);
    const job = await readJob(domain, request.params.jobId);
    const needed: Role = ['invite', 'wave'].includes(job.kind) ? 'support' : 'admin';
    if (!mayActAs(request.caller.actor.role, needed))
      throw new DoorlistError('forbidden', `this requires the ${needed} role`);
    return presentJob(await cancelJob(domain, job), UNMASKED);
  });

  app.get('/waitlists/:waitlistId/jobs', { schema: listSchema }, async ({ params, query, caller }) => {
    const queue = await requireQueue(parts, params, query);
    return readJobPage(parts.waitlists, queue, query, { mask: maskFor(caller.actor.role) });
  });
}
