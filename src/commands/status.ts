import type { Config } from '../config/config.ts';
import { sharedNow } from '../db/shared-clock.ts';
import { checkMailServer } from '../installation/check-mails.ts';
import { isServing } from '../installation/data-directory.ts';
import { explainError } from '../installation/explain-error.ts';
import { type AnyFinding, checkOperation, checkWork } from '../installation/health.ts';
import { openExisting, withoutTimeLimits } from '../installation/open.ts';
import { createLogger } from '../lib/log.ts';
import { isoTime } from '../lib/time.ts';
import { OPERATOR_MAIL_CHANNEL } from '../mail/operators/notices.ts';
import { hasMailServer } from '../mail/sending.ts';
import { type BacklogCount, countBacklog, countBacklogErrors } from '../outbox/backlog.ts';
import { MasterKeyProblem } from '../vault/master-key.ts';
import type { Context } from '../waitlist/queue/context.ts';
import { MAIL_CHANNEL } from '../waitlist/sending/state.ts';
import {
  ageInWords,
  BACKLOG_LIMIT,
  type Finding,
  type Level,
  levelOf,
  NOTHING_PENDING,
  OLDEST_LIMIT_MS,
} from '../waitlist/upkeep/health.ts';
import { ALERT_CHANNEL } from '../webhooks/alert-channel.ts';
import { WEBHOOK_CHANNEL } from '../webhooks/listener.ts';
import type { Outcome } from './command.ts';

const ERRORS_SHOWN = 5;
const ERRORS: Readonly<Record<string, string>> = {
  [WEBHOOK_CHANNEL]: 'webhook error',
  [ALERT_CHANNEL]: 'alert error',
};
const MARKS: Readonly<Record<Level, string>> = {
  fine: 'ok   ',
  warning: 'WARN ',
  problem: 'WRONG',
  unchecked: '?    ',
};

/** An overview for operators. Reads only, and blocks nothing. */
export async function showStatus(config: Config): Promise<Outcome> {
  const findings: Finding[] = [];
  try {
    const context = withoutTimeLimits(await openExisting(config, createLogger('silent')));
    try {
      findings.push(
        ...(await checkOperation(context, config)),
        ...checkServer(config),
        ...(await checkMailServer(context, config, await hasMailServer(context, config))),
        ...(await checkAllWork(context)),
      );
    } finally {
      await context.db.close();
    }
  } catch (error) {
    findings.push(whyNotOpen(error as Error, config));
  }
  return outcomeOf(findings);
}

export function whyNotOpen(error: Error, config: Config): Finding {
  const what = error instanceof MasterKeyProblem ? 'master key' : 'database';
  return { what, ok: false, detail: explainError(error, config) ?? error.message };
}

export function outcomeOf(findings: Finding[]): Outcome {
  const healthy = findings.every(({ ok }) => ok);
  const judged = findings.map((finding) => ({ ...finding, level: levelOf(finding) }));
  const lines = judged.map(({ what, level, detail }) => `${MARKS[level]}  ${what}: ${detail}`);
  return { json: { healthy, findings: judged }, text: lines.join('\n'), exitCode: healthy ? 0 : 1 };
}

/** Deliveries, counted one by one, their errors, and jobs. */
export async function checkAllWork(context: Context): Promise<Finding[]> {
  const now = await sharedNow(context);
  const counts = await countBacklog(context.db, now);
  const errors = await countBacklogErrors(context.db, ERRORS_SHOWN);
  const deliveries: Finding[] = [
    checkChannel('webhooks', WEBHOOK_CHANNEL, counts, now),
    checkChannel('emails', MAIL_CHANNEL, counts, now),
    checkChannel('operator emails', OPERATOR_MAIL_CHANNEL, counts, now),
    // Most installations post none.
    ...(counts.some(({ channel }) => channel === ALERT_CHANNEL)
      ? [checkChannel('alerts', ALERT_CHANNEL, counts, now)]
      : []),
    ...errors.map(({ channel, error, count, lastAt }) => ({
      what: ERRORS[channel] ?? 'email error',
      ok: true,
      level: 'warning' as const,
      detail: `${error} (${count === 1 ? '1 delivery' : `${count} deliveries`}, last at ${isoTime(lastAt)})`,
    })),
  ];
  return (await checkWork(context, deliveries)).map(nameEndpoint);
}

/** A terminal has no link to it. */
function nameEndpoint(finding: AnyFinding): AnyFinding {
  if (!finding.endpoint) return finding;
  const { id, waitlistId, environment } = finding.endpoint;
  return { ...finding, detail: `${finding.detail} (${id}, ${waitlistId}, ${environment})` };
}

function checkChannel(what: string, channel: string, counts: BacklogCount[], now: number): Finding {
  const ours = counts.filter((each) => each.channel === channel);
  const pending = ours.find(({ state }) => state === 'pending');
  const ageMs = pending?.oldestAt ? now - pending.oldestAt : 0;
  const age = pending ? [`oldest pending for ${ageInWords(ageMs)}`] : [];
  const nothing = ours.every(({ state }) => state === 'done') ? [NOTHING_PENDING] : [];
  const shown = [...nothing, ...ours.map(({ state, count }) => `${count} ${state}`), ...age];
  return {
    what,
    ok: (pending?.count ?? 0) <= BACKLOG_LIMIT && ageMs <= OLDEST_LIMIT_MS,
    detail: shown.join(', '),
  };
}

/** On PostgreSQL, servers run on any machine. */
export function checkServer(config: Config): Finding[] {
  if (config.databaseUrl !== undefined) return [];
  return [{ what: 'server', ok: true, detail: isServing(config) ? 'running' : 'not running' }];
}
