import { sharedNow } from '../../db/shared-clock.ts';
import { reportState } from '../../lib/state-log.ts';
import { HOUR_MS, isoTime } from '../../lib/time.ts';
import { glanceAtBacklog } from '../../outbox/backlog.ts';
import type { Context } from '../queue/context.ts';

export const BACKLOG_LIMIT = 10_000;
export const OLDEST_LIMIT_MS = HOUR_MS;
/** Enough to write the log back, and for an operator to react. */
export const LEAST_FREE_BYTES = 256 * 1024 * 1024;

/** Logs when a problem starts that no request would show, and when it ends. */
export async function watch(context: Context): Promise<void> {
  const { db, log } = context;
  try {
    await db.probe();
    reportState(log, 'database writes', 'ok');
  } catch (error) {
    reportState(log, 'database writes', 'failing', { reason: (error as Error).message });
  }
  const denied = await db.missingGrants();
  reportState(log, 'permissions', denied === undefined ? 'ok' : 'missing', { reason: denied });
  const { freeBytes } = await db.usage();
  const low = freeBytes !== null && freeBytes < LEAST_FREE_BYTES;
  reportState(log, 'disk', low ? 'almost full' : 'ok', { freeBytes });
  const now = await sharedNow(context);
  const { pending, oldestAt } = await glanceAtBacklog(db, BACKLOG_LIMIT, now);
  reportState(log, 'delivery backlog', pending > BACKLOG_LIMIT ? `over ${BACKLOG_LIMIT}` : 'ok');
  const late = oldestAt !== null && now - oldestAt > OLDEST_LIMIT_MS;
  const since = oldestAt === null ? {} : { oldest: isoTime(oldestAt) };
  reportState(log, 'oldest delivery', late ? 'over an hour old' : 'ok', since);
}
