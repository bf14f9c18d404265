import type { Worker } from '../../db/cluster.ts';
import { storedSchemaVersion } from '../../db/migrate.ts';
import { sharedNow } from '../../db/shared-clock.ts';
import { formatId } from '../../lib/ids.ts';
import { VERSION } from '../../lib/root.ts';
import { reportState } from '../../lib/state-log.ts';
import { DAY_MS, HOUR_MS, isoTime } from '../../lib/time.ts';
import { glanceAtBacklog } from '../../outbox/backlog.ts';
import { HEALTH_COUNT_MAX, readInstallationHealth } from '../../outbox/delivery-health.ts';
import { findDueTargets } from '../../outbox/target.ts';
import type { Context } from '../queue/context.ts';
import { withQueues } from '../queue/readable.ts';

export const LEVELS = ['fine', 'warning', 'problem', 'unchecked'] as const;
export type Level = (typeof LEVELS)[number];

export interface Finding {
  what: string;
  /** false if something does not work now. */
  ok: boolean;
  /** Without it, `fine` or `problem`. `unchecked`: nothing is known to be wrong, but nobody has looked. */
  level?: Level;
  detail: string;
  /** Where to mend it: a path of the dashboard. */
  link?: string;
}

export function levelOf({ ok, level }: Finding): Level {
  return level ?? (ok ? 'fine' : 'problem');
}

const JOBS_SHOWN = 20;
/** What failed longer ago worries nobody any more. */
export const RECENT_MS = 7 * DAY_MS;
/** A job takes a step every few seconds while it runs. */
const STUCK_MS = HOUR_MS;
/** What is done sooner does not wait. */
const WAITING_MS = 60_000;

/** `place` says which disk it is. */
export async function checkStorage({ db }: Context, place = ''): Promise<Finding[]> {
  const { bytes, logBytes, logLimitBytes, freeBytes, connections } = await db.usage();
  const problem = await db.probe().then(
    () => undefined,
    (error: Error) => error.message,
  );
  const described = `${db.engine}, schema version ${await storedSchemaVersion(db)}, ${sizeInWords(bytes)}`;
  const findings: Finding[] = [{ what: 'database', ok: problem === undefined, detail: problem ?? described }];
  const denied = problem === undefined ? await db.missingGrants() : undefined;
  if (denied !== undefined) findings.push({ what: 'permissions', ok: false, detail: denied });
  const workers = await db.clusterWorkers();
  if (workers !== null) findings.push(judgeCluster(workers));
  if (connections !== null)
    findings.push({ what: 'connections', ok: true, detail: `${connections} from Doorlist instances` });
  if (freeBytes !== null)
    findings.push({
      what: 'disk',
      ok: freeBytes >= LEAST_FREE_BYTES,
      detail: `${sizeInWords(freeBytes)} free${place}`,
    });
  if (logBytes !== null && logLimitBytes !== null) {
    const ok = logBytes <= logLimitBytes;
    const detail = sizeInWords(logBytes) + (ok ? '' : ': a long-running read keeps it from shrinking');
    findings.push({ what: 'write-ahead log', ok, detail });
  }
  return findings;
}

function judgeCluster(workers: readonly Worker[]): Finding {
  const shown = workers.map(({ name, queues, isUp }) => {
    const count = `${queues} ${queues === 1 ? 'queue' : 'queues'}`;
    return isUp ? `${name} has ${count}` : `${name} does not answer: ${count} cannot be used`;
  });
  return { what: 'cluster', ok: workers.every(({ isUp }) => isUp), detail: shown.join('; ') };
}

export function checkVersions(): Finding {
  return { what: 'versions', ok: true, detail: `Doorlist ${VERSION}, Node ${process.versions.node}` };
}

export const NOTHING_PENDING = 'none pending or failed';

/** At a cost that does not depend on the backlog. */
export async function glanceAtDeliveries(context: Context): Promise<Finding[]> {
  const { db } = context;
  const health = await readInstallationHealth(db);
  const now = await sharedNow(context);
  const { channels, pending, oldestAt, oldestUnexplainedAt } = await glanceAtBacklog(db, BACKLOG_LIMIT, now);
  const ageMs = oldestAt === null ? 0 : now - oldestAt;
  const isStuck = oldestUnexplainedAt !== null && now - oldestUnexplainedAt > OLDEST_LIMIT_MS;
  const age = oldestAt === null ? 'none pending' : `oldest pending for ${ageInWords(ageMs)}`;
  const isLong = pending > BACKLOG_LIMIT;
  const countsOf = (channel: string) => {
    const { pending: unfinished = 0, failed = 0 } = health.find((each) => each.channel === channel) ?? {};
    const waiting = Math.min(channels.get(channel)?.pending ?? 0, unfinished);
    return countsInWords({ pending: waiting, held: unfinished - waiting, failed }, unfinished);
  };
  const alerts = countsOf('alert');
  return [
    { what: 'webhooks', ok: true, detail: countsOf('webhook') },
    { what: 'emails', ok: true, detail: countsOf('email') },
    { what: 'operator emails', ok: true, detail: countsOf('operator-email') },
    // Most installations post none.
    ...(alerts === NOTHING_PENDING ? [] : [{ what: 'alerts', ok: true, detail: alerts }]),
    {
      ...{ what: 'delivery backlog', ok: !isLong && !isStuck },
      detail: isLong ? `more than ${BACKLOG_LIMIT} pending, ${age}` : age,
    },
  ];
}

/** `unfinished`: those that are pending or held. Counting has stopped at some number. */
function countsInWords(
  counts: Readonly<Record<'pending' | 'held' | 'failed', number>>,
  unfinished: number,
): string {
  const shown = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([state, count]) => {
      const counted = state === 'held' ? unfinished : count;
      return `${counted === HEALTH_COUNT_MAX ? 'at least ' : ''}${count} ${state}`;
    });
  return shown.join(', ') || NOTHING_PENDING;
}

export async function checkJobs(context: Context): Promise<Finding> {
  const now = await sharedNow(context);
  const jobs = await context.db.query
    .selectFrom('job')
    .select(['kind', 'updated_at'])
    .where('finished_at', 'is', null)
    .orderBy('updated_at')
    .limit(JOBS_SHOWN)
    .execute();
  const shown = jobs.map(
    ({ kind, updated_at }) => `${kind}, last step ${ageInWords(Math.max(0, now - updated_at))} ago`,
  );
  const isStuck = jobs.some(({ updated_at }) => now - updated_at > STUCK_MS);
  const level = isStuck ? 'warning' : 'fine';
  return { what: 'unfinished jobs', ok: true, level, detail: shown.join('; ') || 'none' };
}

/** If work waits and nobody is there to do it. Nothing is said where that is not known. */
export async function checkWorkers(context: Context): Promise<Finding[]> {
  const { db } = context;
  if ((await db.workers()) !== 0) return [];
  const before = (await sharedNow(context)) - WAITING_MS;
  const isDue = (await findDueTargets(db)).some(({ dueAt }) => dueAt < before);
  const idle = await db.query
    .selectFrom('job')
    .select('id')
    .where('runner', '=', 'server')
    .where('finished_at', 'is', null)
    .where('lease_until', 'is', null)
    .where('updated_at', '<', before)
    .limit(1)
    .execute();
  if (!isDue && idle.length === 0) return [];
  return [
    {
      ...{ what: 'workers', ok: true, level: 'warning' },
      detail:
        'webhooks, emails or jobs wait, and no connected instance listens for work. Start one with the role worker or all',
    },
  ];
}

function sizeInWords(bytes: number): string {
  const megabytes = bytes / 1024 ** 2;
  return megabytes < 1024 ? `${megabytes.toFixed(1)} MiB` : `${(megabytes / 1024).toFixed(1)} GiB`;
}

export function ageInWords(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return 'less than a minute';
  if (minutes <= 120) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} hours` : `${Math.floor(hours / 24)} days`;
}

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

export const BACKLOG_LIMIT = 10_000;
export const OLDEST_LIMIT_MS = HOUR_MS;
/** Enough to write the log back, and for an operator to react. */
const LEAST_FREE_BYTES = 256 * 1024 * 1024;

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
