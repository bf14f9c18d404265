import { storedSchemaVersion } from '../../db/migrate.ts';
import { VERSION } from '../../lib/version.ts';
import { glanceAtBacklog } from '../../outbox/backlog.ts';
import {
  type ChannelHealth,
  HEALTH_COUNT_MAX,
  readInstallationHealth,
} from '../../outbox/delivery-health.ts';
import type { Context } from '../queue/context.ts';
import { BACKLOG_LIMIT, LEAST_FREE_BYTES, OLDEST_LIMIT_MS } from './watch.ts';

export interface Finding {
  what: string;
  ok: boolean;
  detail: string;
}

const JOBS_SHOWN = 20;

/** What a server can find out about itself at a cost that does not depend on the backlog. */
export async function checkHealth(context: Context): Promise<Finding[]> {
  return [
    ...(await checkStorage(context)),
    checkVersions(),
    ...(await glanceAtDeliveries(context)),
    await checkJobs(context),
  ];
}

/** `place` says which disk it is. */
export async function checkStorage({ db }: Context, place = ''): Promise<Finding[]> {
  const { bytes, logBytes, logLimitBytes, freeBytes, connections } = await db.usage();
  const problem = await db.probe().then(
    () => undefined,
    (error: Error) => error.message,
  );
  const described = `${db.describe()}, schema version ${await storedSchemaVersion(db)}, ${sizeInWords(bytes)}`;
  const findings = [{ what: 'database', ok: problem === undefined, detail: problem ?? described }];
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

export function checkVersions(): Finding {
  return { what: 'versions', ok: true, detail: `Doorlist ${VERSION}, Node ${process.versions.node}` };
}

async function glanceAtDeliveries({ db, clock }: Context): Promise<Finding[]> {
  const health = await readInstallationHealth(db);
  const { pending, oldestAt, oldestUnexplainedAt } = await glanceAtBacklog(db, BACKLOG_LIMIT);
  const ageMs = oldestAt === null ? 0 : clock() - oldestAt;
  const isStuck = oldestUnexplainedAt !== null && clock() - oldestUnexplainedAt > OLDEST_LIMIT_MS;
  const age = oldestAt === null ? 'none pending' : `oldest pending for ${ageInWords(ageMs)}`;
  return [
    { what: 'webhooks', ok: true, detail: countsOf('webhook', health) },
    { what: 'emails', ok: true, detail: countsOf('email', health) },
    { what: 'delivery backlog', ok: pending <= BACKLOG_LIMIT && !isStuck, detail: age },
  ];
}

function countsOf(channel: string, health: readonly ChannelHealth[]): string {
  const found = health.find((each) => each.channel === channel);
  const counts = (['pending', 'failed'] as const)
    .filter((state) => found && found[state] > 0)
    .map((state) => `${found?.[state] === HEALTH_COUNT_MAX ? 'at least ' : ''}${found?.[state]} ${state}`);
  return counts.join(', ') || 'none';
}

export async function checkJobs({ db }: Context): Promise<Finding> {
  const jobs = await db.query
    .selectFrom('job')
    .select(['kind', 'updated_at'])
    .where('finished_at', 'is', null)
    .orderBy('updated_at')
    .limit(JOBS_SHOWN)
    .execute();
  const shown = jobs.map(
    ({ kind, updated_at }) => `${kind}, last step at ${new Date(updated_at).toISOString()}`,
  );
  return { what: 'unfinished jobs', ok: true, detail: shown.join('; ') || 'none' };
}

function sizeInWords(bytes: number): string {
  const megabytes = bytes / 1024 ** 2;
  return megabytes < 1024 ? `${megabytes.toFixed(1)} MiB` : `${(megabytes / 1024).toFixed(1)} GiB`;
}

export function ageInWords(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes <= 120) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} hours` : `${Math.floor(hours / 24)} days`;
}
