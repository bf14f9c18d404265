import type { Static } from 'typebox';
import { readJob } from '../../waitlist/jobs/find-jobs.ts';
import type { Context } from '../../waitlist/queue/context.ts';
import { type JobSchema, presentJob } from '../../wire/job.ts';
import { UNMASKED } from '../../wire/mask.ts';

/** A job that the caller has created. Whoever may do so may see all of it. */
export async function presentNewJob(context: Context, jobId: string): Promise<Static<typeof JobSchema>> {
  return presentJob(await readJob(context, jobId), UNMASKED);
}
