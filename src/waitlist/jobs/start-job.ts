import { conflict } from '../../lib/errors.ts';
import { formatId, type Id } from '../../lib/ids.ts';
import { changeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import type { JobLease } from './jobs.ts';

/**
 * Creates a job that the caller works on. A command that is run again with its key goes on with the job of the first run,
 * if that is still to be done: what was done already is never begun again.
 */
export async function startJob<T extends { lease: JobLease }>(
  context: Context,
  queue: Queue,
  create: (change: QueueChange) => Promise<T>,
  goOn: (jobId: Id<'job'>) => Promise<T>,
): Promise<T> {
  const { startOnce } = context;
  if (!startOnce) return changeQueue(context, queue, create);
  let created: T | undefined;
  const first = await startOnce(async (held) => {
    created = await changeQueue(held, queue, create);
    return formatId('job', created.lease.id);
  });
  return created && formatId('job', created.lease.id) === first ? created : goOn(first);
}

/** Of jobs that a server takes over if the command dies. */
export async function serverGoesOn(jobId: Id<'job'>): Promise<never> {
  throw conflict(`a server goes on with ${jobId}, which the first run with this key started`);
}
