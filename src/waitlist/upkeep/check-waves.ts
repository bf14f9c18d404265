import { formatId } from '../../lib/ids.ts';
import type { Context } from '../queue/context.ts';
import { withQueues } from '../queue/readable.ts';
import type { Finding } from './health.ts';

const SHOWN_MAX = 20;

/** One for each wave that paused itself, until an operator resumes or stops it. */
export async function checkWaves(context: Context): Promise<Finding[]> {
  const rows = await context.db.query
    .selectFrom('wave')
    .select(['queue_id', 'id', 'name', 'pause_reason'])
    .where('state', '=', 'paused')
    .where('pause_reason', 'is not', null)
    .orderBy('updated_at')
    .limit(SHOWN_MAX)
    .execute();
  return (await withQueues(context, rows)).map(({ queue, row: { id, name, pause_reason } }) => {
    const query = queue.environment === 'production' ? '' : `?environment=${queue.environment}`;
    return {
      what: 'wave',
      ok: false,
      detail: `"${name}" of ${queue.waitlist.id} paused itself: ${pause_reason}`,
      link: `/waitlists/${queue.waitlist.id}/waves/${formatId('wav', id)}${query}`,
    };
  });
}
