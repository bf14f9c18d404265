import { sharedNow } from '../../db/shared-clock.ts';
import { oldestId } from '../../lib/ids.ts';
import { DAY_MS } from '../../lib/time.ts';
import type { Context } from '../queue/context.ts';
import { FILE_MS } from './jobs.ts';

const DELETED_AT_ONCE = 500;
const KEEP_FINISHED_MS = 30 * DAY_MS;

/** Ends cancelled jobs whose process died before it noticed. A server's own jobs are ended when claimed. */
export async function endCancelledJobs(context: Context): Promise<void> {
  const now = await sharedNow(context);
  await context.db.query
    .updateTable('job')
    .set({ outcome: 'cancelled', finished_at: now, lease_token: null, lease_until: null })
    .where('runner', '<>', 'server')
    .where('finished_at', 'is', null)
    .where('cancel_at', 'is not', null)
    .where((e) => e.or([e('lease_until', 'is', null), e('lease_until', '<=', now)]))
    .where((e) => context.db.reachable(e.ref('queue_id')))
    .execute();
}

/** Deletes jobs that finished long ago, and ends exports that can no longer be downloaded. */
export async function forgetOldJobs(context: Context): Promise<void> {
  const now = await sharedNow(context);
  await context.db.query
    .updateTable('job')
    .set({ outcome: 'cancelled', finished_at: now, lease_token: null, lease_until: null })
    .where('runner', '=', 'request')
    .where('finished_at', 'is', null)
    .where('created_at', '<', now - FILE_MS)
    .execute();
  await eraseOldUploads(context, now);
  const before = now - KEEP_FINISHED_MS;
  const { query } = context.db;
  const old = await query
    .selectFrom('job')
    .select('id')
    .where('finished_at', '<', before)
    .limit(DELETED_AT_ONCE)
    .execute();
  if (old.length === 0) return;
  await query
    .deleteFrom('job')
    .where((e) =>
      context.db.in(
        e.ref('id'),
        old.map(({ id }) => id),
      ),
    )
    .execute();
}

/**
 * Files whose import has ended or was never started, the content of bad rows after a day, and errors of imports
 * that are forgotten, which can no longer be undone.
 */
async function eraseOldUploads({ db }: Context, now: number): Promise<void> {
  const abandoned = oldestId(now - FILE_MS);
  await db.query
    .deleteFrom('import_chunk')
    .where('job_id', '<', abandoned)
    .where((e) =>
      e.or([
        e('job_id', 'not in', e.selectFrom('job').select('id').where('kind', '=', 'import')),
        e.and([
          e('part', 'in', ['file', 'rows']),
          e('job_id', 'in', e.selectFrom('job').select('id').where('finished_at', 'is not', null)),
        ]),
      ]),
    )
    .execute();
  await db.query
    .deleteFrom('import_range')
    .where('job_id', '<', abandoned)
    .where('job_id', 'not in', (e) => e.selectFrom('job').select('id').where('kind', '=', 'import'))
    .execute();
}
