import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from '../config/config.ts';
import { isWorthWaitingFor } from '../db/postgres/errors.ts';
import { unavailable } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { reportState } from '../lib/state-log.ts';
import type { Context } from '../waitlist/queue/context.ts';
import { explainError } from './explain-error.ts';

const RETRY_AFTER_MS = 500;

/**
 * A database that starts together with the service may be ready soon. Errors that waiting cannot fix are
 * thrown at once.
 */
export async function waitForDatabase<T>(open: () => Promise<T>, config: Config, log: Log): Promise<T> {
  const { startTimeoutMs } = config;
  const giveUpAt = performance.now() + startTimeoutMs;
  for (;;) {
    try {
      return await open();
    } catch (error) {
      if (!isWorthWaitingFor(error)) throw error;
      const reason = explainError(error as Error, config) ?? (error as Error).message;
      if (performance.now() >= giveUpAt) {
        throw unavailable(`The database was not available within ${startTimeoutMs / 1_000} s. ${reason}`);
      }
      reportState(log, 'database', 'unavailable', { reason });
      await pause(RETRY_AFTER_MS);
    }
  }
}

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
