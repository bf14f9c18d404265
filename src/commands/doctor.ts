import { statSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '../config/config.ts';
import { explainError } from '../installation/explain-error.ts';
import { checkOperation } from '../installation/health.ts';
import { openExisting } from '../installation/open.ts';
import { createLogger } from '../lib/log.ts';
import type { OpenDns } from '../mail/sender/dns.ts';
import { hasMailServer } from '../mail/sending.ts';
import { openOperators } from '../operators/context.ts';
import { verifyAudit } from '../operators/verify-audit.ts';
import { Unreadable } from '../vault/crypto.ts';
import type { Context } from '../waitlist/queue/context.ts';
import { listEnvironments } from '../waitlist/settings/environments.ts';
import { listAllWaitlists } from '../waitlist/settings/waitlists.ts';
import { checkNumbers } from '../waitlist/upkeep/check-numbers.ts';
import type { Finding } from '../waitlist/upkeep/health.ts';
import { recountQueue } from '../waitlist/upkeep/recount-queue.ts';
import type { Outcome } from './command.ts';
import { checkAllWork, checkServer, outcomeOf, whyNotOpen } from './status.ts';

interface Scope {
  /** undefined for every waitlist. */
  waitlistId: string | undefined;
  repair: boolean;
  /** Whether to check pending deliveries. After a restore they are naturally old. */
  work: boolean;
  /** Stands in for the DNS, in tests. */
  openDns?: OpenDns | undefined;
}

/** Checks everything that an operator on call would check. The exit code is 1 if something is wrong. */
export async function examine(config: Config, scope: Scope): Promise<Outcome> {
  const findings: Finding[] = [checkKeyFile(config)];
  let senders: Finding[] = [];
  let hasServer = config.smtpUrl !== undefined;
  try {
    const context = await openExisting(config, createLogger('silent'));
    try {
      findings.push(...(await checkOperation(context, config)), ...checkServer(config));
      if (scope.work) findings.push(...(await checkAllWork(context)));
      findings.push(await checkAuditTrail(context), ...(await checkQueues(context, scope)));
      findings.push(await checkNumbers(context));
      hasServer = await hasMailServer(context, config);
      if (scope.work && config.smtpUrl !== undefined) {
        const { checkSenders } = await import('../mail/sender/check-senders.ts');
        senders = await checkSenders(context, config, scope);
      }
    } finally {
      await context.db.close();
    }
  } catch (error) {
    findings.push(whyNotOpen(error as Error, config));
  }
  findings.push(await checkMailServer(config, hasServer), ...senders);
  return outcomeOf(findings);
}

function checkKeyFile(config: Config): Finding {
  const what = 'master key file';
  if (config.masterKey !== undefined)
    return { what, ok: true, detail: 'not used: DOORLIST_MASTER_KEY is set' };
  const file = path.join(config.dataDir, 'master.key');
  let mode: number | undefined;
  try {
    mode = statSync(file, { throwIfNoEntry: false })?.mode;
  } catch (error) {
    return { what, ok: false, detail: explainError(error as Error, config) ?? (error as Error).message };
  }
  if (mode === undefined) return { what, ok: false, detail: `${file} does not exist` };
  return mode & 0o077
    ? {
        what,
        ok: false,
        detail: `${file} is readable by others (mode ${(mode & 0o777).toString(8)}): run chmod 600`,
      }
    : { what, ok: true, detail: file };
}

/** `hasServer`: whether servers run with one, whatever the variables of this process are. */
async function checkMailServer({ smtpUrl }: Config, hasServer: boolean): Promise<Finding> {
  const what = 'mail server';
  if (smtpUrl === undefined && hasServer)
    return {
      ...{ what, ok: true, level: 'unchecked' },
      detail:
        'the server has one, but DOORLIST_SMTP_URL is not set here. Run `doctor` with the variables of the server to connect to it',
    };
  if (smtpUrl === undefined)
    return {
      ...{ what, ok: true, level: 'warning' },
      detail: 'DOORLIST_SMTP_URL is not set: emails are kept in the mailbox',
    };
  const { checkSmtp } = await import('../mail/smtp/session.ts'); // Loads the SMTP code, so only if needed.
  const { server, secure, loggedIn, failure } = await checkSmtp(smtpUrl);
  if (!failure)
    return {
      what,
      ok: true,
      detail: `${server}, ${secure ? 'TLS' : 'no TLS'}, ${loggedIn ? 'logged in' : 'no login'}`,
    };
  const answer = failure.answer ? `. Response: ${failure.answer}` : '';
  return { what, ok: false, detail: `${failure.error}${answer}` };
}

async function checkAuditTrail(context: Context): Promise<Finding> {
  const { records, problem } = await verifyAudit(await openOperators(context));
  return { what: 'audit trail', ok: problem === undefined, detail: problem ?? `${records} records` };
}

async function checkQueues(context: Context, { waitlistId, repair }: Scope): Promise<Finding[]> {
  const findings: Finding[] = [];
  const environments = await listEnvironments(context);
  for (const id of waitlistId === undefined ? await allIds(context) : [waitlistId]) {
    for (const { name: environment } of environments) {
      findings.push(await checkQueue(context, id, environment, repair));
    }
  }
  return findings;
}

async function allIds(context: Context): Promise<string[]> {
  return (await listAllWaitlists(context)).map(({ id }) => id);
}

async function checkQueue(
  context: Context,
  waitlistId: string,
  environment: string,
  repair: boolean,
): Promise<Finding> {
  const what = `${waitlistId} in ${environment}`;
  try {
    const queue = await context.registry.queue(waitlistId, environment);
    if (!queue) return { what, ok: false, detail: 'has no queue' };
    const audit = await recountQueue(context, queue, repair);
    const detail =
      audit.findings.length === 0
        ? `${audit.entries} ${audit.entries === 1 ? 'entry' : 'entries'}`
        : audit.findings.join('; ');
    return {
      what,
      ok: audit.findings.length === 0 || audit.repaired,
      detail: audit.repaired ? `repaired: ${detail}` : detail,
    };
  } catch (error) {
    const isDamaged = error instanceof Unreadable;
    return { what, ok: false, detail: isDamaged ? 'cannot be decrypted' : (error as Error).message };
  }
}
