import Type, { type Static } from 'typebox';
import { formatId } from '../lib/ids.ts';
import { isoTime, isoTimeOrNull } from '../lib/time.ts';
import { JOB_STATES, type JobSummary } from '../waitlist/jobs/find-jobs.ts';
import type { Mask } from './mask.ts';
import { idPattern, named, nullable, oneOf, time, timeOrNull } from './schema.ts';
import { EXAMPLE_WAITLIST, WaitlistIdSchema } from './waitlist.ts';

export const JobSchema = Type.Object(
  {
    id: Type.String({ ...idPattern('job'), description: 'Unique id of the job.' }),
    kind: Type.String({ description: 'What the job does, such as `invite` or `import`.' }),
    state: oneOf(JOB_STATES, {
      ...named('JobState'),
      description:
        '`queued` waits to be started or continued, `running` is being worked on, and `done`, `failed` and `cancelled` are final.',
    }),
    done: nullable<number>('integer', {
      minimum: 0,
      description: 'How much of `total` is done. `null` for viewers if the job chooses people.',
    }),
    total: nullable<number>('integer', {
      minimum: 0,
      description: 'All there is to do. `null` if unknown, and for viewers if the job chooses people.',
    }),
    error: nullable<string>('string', { description: 'Why the job failed.' }),
    result: nullable<Record<string, unknown>>('object', {
      additionalProperties: true,
      description:
        'What the job did, in numbers, also if it was cancelled or failed on the way. `null` until it has ended, and for viewers if ' +
        'the job chooses people.',
    }),
    subject: nullable<string>('string', {
      description:
        'Id of what the job is about, such as the webhook endpoint of a `replay`. `null`: the whole waitlist.',
    }),
    waitlistId: WaitlistIdSchema,
    environment: Type.String({ description: 'Environment of the waitlist.' }),
    createdAt: time('When the job was created.'),
    updatedAt: time('When its last step ended.'),
    finishedAt: timeOrNull('When the job ended, whatever the outcome.'),
    createdBy: nullable<string>('string', {
      description: 'Who created it: kind and id, such as `operator:opr_…`, or `command-line`.',
    }),
  },
  {
    ...named('Job'),
    description: 'Long work on a waitlist. It runs in steps, in the background, and survives restarts.',
  },
);

/** They can choose people by metadata. How many they find then tells viewers about people. */
const CHOOSING_KINDS: readonly string[] = ['invite', 'revoke', 'decide', 'wave', 'export'];

export function presentJob(job: JobSummary, mask: Mask): Static<typeof JobSchema> {
  const counted = <T>(value: T) => (CHOOSING_KINDS.includes(job.kind) ? mask.secret(value) : value);
  return {
    id: formatId('job', job.id),
    kind: job.kind,
    state: job.state,
    done: counted(job.done),
    total: counted(job.total),
    error: job.error,
    result: counted(job.result),
    subject: job.subject,
    waitlistId: job.queue.waitlist.id,
    environment: job.queue.environment,
    createdAt: isoTime(job.createdAt),
    updatedAt: isoTime(job.updatedAt),
    finishedAt: isoTimeOrNull(job.finishedAt),
    createdBy: job.createdBy,
  };
}

export const EXAMPLE_JOB: Static<typeof JobSchema> = {
  id: 'job_06gxx2p9r1yn1vp1ryss481fhw',
  kind: 'invite',
  state: 'running',
  done: 500,
  total: 2000,
  error: null,
  result: null,
  subject: null,
  waitlistId: EXAMPLE_WAITLIST.id,
  environment: 'production',
  createdAt: '2026-11-15T09:30:00.000Z',
  updatedAt: '2026-11-15T09:30:01.000Z',
  finishedAt: null,
  createdBy: 'operator:opr_06gxx2p9r1yn1vp1ryss481fhw',
};
