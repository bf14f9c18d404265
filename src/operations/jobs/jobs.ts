import Type from 'typebox';
import { DoorlistError } from '../../lib/errors.ts';
import { mayActAs, type Role } from '../../operators/roles.ts';
import { cancelJob, readJob } from '../../waitlist/jobs/find-jobs.ts';
import { EXAMPLE_JOB, JobSchema, presentJob } from '../../wire/job.ts';
import { UNMASKED } from '../../wire/mask.ts';
import { WORD } from '../../wire/schema.ts';
import { JobPage, readJobPage } from '../core/job-page.ts';
import { operation } from '../core/operation.ts';
import { pageQuery } from '../core/pages.ts';

const tag = 'Jobs';
const params = {
  jobId: Type.String({ ...WORD, description: 'Id of the job.', examples: [EXAMPLE_JOB.id] }),
};

export const jobs = [
  operation({
    id: 'getJob',
    at: 'GET /jobs/:jobId',
    tag,
    summary: 'Get a job',
    description:
      'Returns a job and its progress. Finished jobs are kept for 30 days. Viewers get no numbers of invites, waves and exports, which can choose people by metadata.',
    role: 'viewer',
    scope: 'installation',
    params,
    answer: { description: 'The job.', schema: JobSchema, example: EXAMPLE_JOB },
    run: async ({ context, params: { jobId }, mask }) => presentJob(await readJob(context, jobId), mask),
  }),
  operation({
    id: 'cancelJob',
    at: 'DELETE /jobs/:jobId',
    tag,
    summary: 'Cancel a job',
    description:
      'Ends a job after its current step. What it has done so far stays. A job that only an admin can start, only an admin can cancel.',
    role: 'support',
    scope: 'installation',
    params,
    answer: {
      description: 'The job is being cancelled. Its state is `cancelled` once the current step is done.',
      schema: JobSchema,
      example: { ...EXAMPLE_JOB, state: 'cancelled', finishedAt: '2026-11-15T09:30:02.000Z' },
    },
    errors: { conflict: { when: 'The job has already ended.', message: 'this job is already done' } },
    run: async ({ context, actor, params: { jobId } }) => {
      const job = await readJob(context, jobId);
      const needed: Role = ['invite', 'wave'].includes(job.kind) ? 'support' : 'admin';
      if (!mayActAs(actor.role, needed))
        throw new DoorlistError('forbidden', `this requires the ${needed} role`);
      return presentJob(await cancelJob(context, job), UNMASKED);
    },
  }),
  operation({
    id: 'listJobs',
    at: 'GET /waitlists/:waitlistId/jobs',
    tag,
    summary: "List a waitlist's jobs",
    description: 'Returns the jobs of a waitlist, newest first. Finished jobs are kept for 30 days.',
    role: 'viewer',
    scope: 'queue',
    query: pageQuery,
    answer: {
      description: 'A page of jobs.',
      schema: JobPage,
      example: { jobs: [EXAMPLE_JOB], nextCursor: null },
    },
    run: ({ context, queue, query, mask }) => readJobPage(context, queue, query, { mask }),
  }),
];
