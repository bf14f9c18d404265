import type { Config } from '../config/config.ts';
import { isServing } from '../installation/directory-lock.ts';
import { explainError } from '../installation/explain-error.ts';
import { openExisting, withoutTimeLimits } from '../installation/open.ts';
import { createLogger } from '../lib/log.ts';
import { checkSending } from '../mail/check-sending.ts';
import { OPERATOR_MAIL_CHANNEL } from '../mail/operators/target.ts';
import { type BacklogCount, countBacklog, countBacklogErrors } from '../outbox/backlog.ts';
import { isMasterKeySaved } from '../vault/master-key-saved.ts';
import type { Context } from '../waitlist/queue/context.ts';
import {
  ageInWords,
  checkJobs,
  checkStorage,
  checkVersions,
  type Finding,
} from '../waitlist/upkeep/health.ts';
import { currentMasterKey } from '../waitlist/upkeep/instance.ts';
import { BACKLOG_LIMIT, OLDEST_LIMIT_MS } from '../waitlist/upkeep/watch.ts';
import { checkEndpoints, type EndpointFinding } from '../webhooks/failing-endpoints.ts';
import type { Outcome } from './command.ts';
import { checkRotation } from './master-key-rotation.ts';

const ERRORS_SHOWN = 5;

/** An overview for operators. Reads only, and blocks nothing. */
export async function showStatus(config: Config): Promise<Outcome> {
  const findings: Finding[] = [];
  try {
    const context = withoutTimeLimits(await openExisting(config, createLogger('silent')));
    try {
      findings.push(...(await checkOperation(context, config)), ...(await checkWork(context)));
    } finally {
      await context.db.close();
    }
  } catch (error) {
    const detail = explainError(error as Error, config) ?? (error as Error).message;
    findings.push({ what: 'database', ok: false, detail });
  }
  return outcomeOf(findings);
}

export function outcomeOf(findings: Finding[]): Outcome {
  const healthy = findings.every(({ ok }) => ok);
  const lines = findings.map(({ what, ok, detail }) => `${ok ? 'ok   ' : 'WRONG'}  ${what}: ${detail}`);
  return { json: { healthy, findings }, text: lines.join('\n'), exitCode: healthy ? 0 : 1 };
}

/** Database, key, server, disk and versions. */
export async function checkOperation(context: Context, config: Config): Promise<Finding[]> {
  const [database, ...storage] = await checkStorage(context, ` in ${config.dataDir}`);
  const findings: Finding[] = [
    ...(database ? [database] : []),
    { what: 'master key', ok: true, detail: await describeKey(context, config) },
    ...(await checkRotation(context, config)),
    checkVersions(),
  ];
  if (config.databaseUrl === undefined)
    findings.push({ what: 'server', ok: true, detail: describeServer(config) });
  return [...findings, ...storage];
}

/** Deliveries and jobs. */
export async function checkWork(context: Context): Promise<Finding[]> {
  const counts = await countBacklog(context.db);
  const errors = await countBacklogErrors(context.db, ERRORS_SHOWN);
  return [
    checkChannel('webhooks', 'webhook', counts, context.clock()),
    checkChannel('emails', 'email', counts, context.clock()),
    checkChannel('operator emails', OPERATOR_MAIL_CHANNEL, counts, context.clock()),
    ...(await checkSending(context)),
    ...errors.map(({ channel, error, count, lastAt }) => ({
      what: channel === 'webhook' ? 'webhook error' : 'email error',
      ok: true,
      detail: `${error} (${count === 1 ? '1 delivery' : `${count} deliveries`}, last at ${new Date(lastAt).toISOString()})`,
    })),
    ...(await checkEndpoints(context)).map(nameEndpoint),
    await checkJobs(context),
  ];
}

/** A terminal has no link to it. */
function nameEndpoint({ detail, endpoint, ...rest }: EndpointFinding): EndpointFinding {
  const { id, waitlistId, environment } = endpoint;
  return { ...rest, detail: `${detail} (${id}, ${waitlistId}, ${environment})`, endpoint };
}

function checkChannel(what: string, channel: string, counts: BacklogCount[], now: number): Finding {
  const ours = counts.filter((each) => each.channel === channel);
  const pending = ours.find(({ state }) => state === 'pending');
  const ageMs = pending?.oldestAt ? now - pending.oldestAt : 0;
  const age = pending ? [`oldest pending for ${ageInWords(ageMs)}`] : [];
  const shown = [...ours.map(({ state, count }) => `${count} ${state}`), ...age];
  return {
    what,
    ok: (pending?.count ?? 0) <= BACKLOG_LIMIT && ageMs <= OLDEST_LIMIT_MS,
    detail: shown.length === 0 ? 'none' : shown.join(', '),
  };
}

async function describeKey(context: Context, { masterKey, dataDir }: Config): Promise<string> {
  if (masterKey !== undefined) return 'matches the database, from DOORLIST_MASTER_KEY';
  const key = await currentMasterKey(context);
  const saved = isMasterKeySaved(dataDir, key) ? 'backed up' : 'not backed up yet';
  return `matches the database, from a file, ${saved}`;
}

function describeServer(config: Config): string {
  return isServing(config) ? 'running' : 'not running';
}
