import type { Config } from '../config/config.ts';
import type { Context } from '../waitlist/queue/context.ts';

/** Each instance that works in the background has one connection for notifications. */
const LISTENING = 1;

/**
 * At the start: a pool that the server cannot hold shows only under load, as requests that fail. Instances with the role
 * `api` are not counted, because nobody knows them.
 */
export async function warnOfLargePools({ db, log }: Context, { databasePool }: Config): Promise<void> {
  const [limit, workers] = await Promise.all([db.connectionLimit(), db.workers()]);
  if (limit === null || workers === null) return;
  const instances = workers + 1;
  const needed = instances * (databasePool + LISTENING);
  if (needed <= limit) return;
  log.warn(
    { instances, needed, limit },
    'the instances may need more connections than PostgreSQL allows. Lower DOORLIST_DATABASE_POOL, raise max_connections, or put PgBouncer in between',
  );
}
