import Type, { type Static } from 'typebox';
import { listJobs } from '../../waitlist/jobs/find-jobs.ts';
import type { Context } from '../../waitlist/queue/context.ts';
import type { Queue } from '../../waitlist/queue/queue.ts';
import { JobSchema, presentJob } from '../../wire/job.ts';
import { type Mask, UNMASKED } from '../../wire/mask.ts';
import { named } from '../../wire/schema.ts';
import { nextCursorSchema, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from './pages.ts';

export const JobPage = Type.Object(
  {
    jobs: Type.Array(JobSchema, { maxItems: PAGE_LIMIT_MAX, description: 'Newest first.' }),
    nextCursor: nextCursorSchema,
  },
  { ...named('JobPage'), description: 'One page of jobs.' },
);

/** The jobs of a queue, of all kinds unless one is given. */
export async function readJobPage(
  context: Context,
  queue: Queue,
  { limit = PAGE_LIMIT_DEFAULT, cursor: before }: { limit?: number; cursor?: string },
  { kind, mask = UNMASKED }: { kind?: 'import' | 'export'; mask?: Mask } = {},
): Promise<Static<typeof JobPage>> {
  const { jobs, more } = await listJobs(context, queue, { limit, before, kind });
  const shown = jobs.map((job) => presentJob(job, mask));
  return { jobs: shown, nextCursor: more ? (shown.at(-1)?.id ?? null) : null };
}
