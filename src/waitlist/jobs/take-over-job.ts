import { invalid, notFound } from '../../lib/errors.ts';
import { formatId, parseId } from '../../lib/ids.ts';
import { storedJson } from '../../vault/stored-json.ts';
import { changeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import { type HeldJob, LEASE_MS, newToken } from './jobs.ts';

/**
 * Takes over the unfinished job of the command line with this id (job_…), or else the newest one, optionally
 * of one kind. A process that still works on it notices before its next step.
 */
export function takeOverJob<I = unknown, P = unknown>(
  context: Context,
  queue: Queue,
  id?: string,
  kind?: string,
): Promise<HeldJob<I, P>> {
  const wanted = id === undefined ? undefined : parseId('job', id);
  if (id !== undefined && !wanted) throw invalid('job id: must look like job_…');
  return changeQueue(context, queue, async ({ trx, now }) => {
    let query = trx
      .selectFrom('job')
      .select(['id', 'kind', 'input', 'progress', 'runner'])
      .where('queue_id', '=', queue.id)
      .where('finished_at', 'is', null)
      .where('cancel_at', 'is', null);
    query = wanted ? query.where('id', '=', wanted) : query.where('runner', '=', 'command-line');
    if (kind !== undefined) query = query.where('kind', '=', kind);
    const row = await query.orderBy('id', 'desc').limit(1).executeTakeFirst();
    if (!row)
      throw notFound(`there is no unfinished job${id === undefined ? '' : ` ${id}`} on this waitlist`);
    if (row.runner !== 'command-line') throw invalid(`${id}: the server runs this job by itself`);
    const lease = { id: Buffer.from(row.id), token: newToken() };
    trx.update('job', { key: ['queue_id', 'id'] }, [
      { queue_id: queue.id, id: lease.id, lease_token: lease.token, lease_until: now + LEASE_MS },
    ]);
    return {
      id: lease.id,
      publicId: formatId('job', lease.id),
      kind: row.kind,
      input: queue.vault.open<I>('job.input', lease.id, row.input),
      progress: storedJson<P>(row.progress),
      lease,
    };
  });
}
