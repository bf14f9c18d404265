import { conflict, notFound } from '../../lib/errors.ts';
import { formatId } from '../../lib/ids.ts';
import { changeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import { isLeased, type JobSummary, readJob, stateOf } from './find-jobs.ts';
import { endJob } from './jobs.ts';

/**
 * Cancels a job. One that is running ends after its current step; one that waits has ended at once. What it has
 * done so far stays. A server's own jobs are cleaned up by the next server that finds them.
 */
export async function cancelJob(context: Context, { id, queue }: JobSummary): Promise<JobSummary> {
  const publicId = formatId('job', id);
  await changeQueue(context, queue, async (change) => {
    const { trx, now } = change;
    const row = await trx
      .selectFrom('job')
      .select(['runner', 'outcome', 'lease_until', 'cancel_at'])
      .where('queue_id', '=', queue.id)
      .where('id', '=', id)
      .executeTakeFirst();
    if (!row) throw notFound(`there is no job ${publicId}`);
    const state = stateOf(row, now);
    if (state !== 'queued' && state !== 'running') throw conflict(`this job is already ${state}`);
    trx.update('job', { key: ['queue_id', 'id'] }, [{ queue_id: queue.id, id, cancel_at: now }]);
    if (row.runner !== 'server' && !isLeased(row, now)) endJob(change, Buffer.from(id), 'cancelled');
    await context.audit?.(trx, { action: 'job.cancelled', object: { kind: 'job', id: publicId } });
  });
  return readJob(context, publicId);
}
