import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '../config.ts';
import { SCHEMA_VERSION } from '../db/migrate.ts';
import { createLogger } from '../log.ts';
import { openContext } from '../service.ts';
import { auditQueue } from '../waitlist/audit.ts';
import type { Context } from '../waitlist/context.ts';
import { listEnvironments, listWaitlists } from '../waitlist/settings/waitlists.ts';
import type { Outcome } from './command.ts';

export interface Scope {
  /** undefined: every waitlist. */
  waitlistId: string | undefined;
  repair: boolean;
}

interface Finding {
  what: string;
  ok: boolean;
  detail: string;
}

/** Looks at everything that an operator who was woken would look at. Exit code 1 when something is wrong. */
export async function examine(config: Config, scope: Scope): Promise<Outcome> {
  const findings: Finding[] = [checkKeyFile(config)];
  try {
    const context = await openContext(config, createLogger('silent'));
    try {
      const { engine } = context.db;
      findings.push({ what: 'database', ok: true, detail: `${engine}, schema version ${SCHEMA_VERSION}` });
      findings.push({ what: 'master key', ok: true, detail: 'fits the database' });
      findings.push(...(await checkQueues(context, scope)));
    } finally {
      await context.db.close();
    }
  } catch (error) {
    findings.push({ what: 'database', ok: false, detail: (error as Error).message });
  }
  findings.push(await checkMailServer(config));
  const healthy = findings.every(({ ok }) => ok);
  const lines = findings.map(({ what, ok, detail }) => `${ok ? 'ok   ' : 'WRONG'}  ${what}: ${detail}`);
  return { json: { healthy, findings }, text: lines.join('\n'), exitCode: healthy ? 0 : 1 };
}

function checkKeyFile(config: Config): Finding {
  const what = 'master key file';
  if (config.masterKey !== undefined)
    return { what, ok: true, detail: 'not used: DOORLIST_MASTER_KEY is set' };
  const file = path.join(config.dataDir, 'master.key');
  if (!existsSync(file)) return { what, ok: true, detail: `${file} is not there yet` };
  const mode = statSync(file).mode & 0o777;
  return mode & 0o077
    ? { what, ok: false, detail: `${file} can be read by others (mode ${mode.toString(8)}): chmod 600` }
    : { what, ok: true, detail: file };
}

async function checkMailServer({ smtpUrl }: Config): Promise<Finding> {
  const what = 'mail server';
  if (smtpUrl === undefined)
    return { what, ok: true, detail: 'not set: mails are kept in the mailbox (DOORLIST_SMTP_URL)' };
  const { checkSmtp } = await import('../events/emails/smtp-check.ts'); // With all that speaks SMTP: only where needed.
  const { server, secure, loggedIn, failure } = await checkSmtp(smtpUrl);
  if (!failure)
    return {
      what,
      ok: true,
      detail: `${server}, ${secure ? 'TLS' : 'no TLS'}, ${loggedIn ? 'logged in' : 'no login'}`,
    };
  const answer = failure.answer ? `. It answered: ${failure.answer}` : '';
  return { what, ok: false, detail: `${failure.error}${answer}` };
}

async function checkQueues(context: Context, { waitlistId, repair }: Scope): Promise<Finding[]> {
  const findings: Finding[] = [];
  const environments = await listEnvironments(context);
  for (const id of waitlistId === undefined ? await allWaitlists(context) : [waitlistId]) {
    for (const environment of environments) {
      findings.push(await checkQueue(context, id, environment, repair));
    }
  }
  return findings;
}

async function allWaitlists(context: Context): Promise<string[]> {
  const ids: string[] = [];
  for (;;) {
    const last = ids.at(-1);
    const page = await listWaitlists(context, last === undefined ? {} : { after: last });
    if (page.length === 0) return ids;
    ids.push(...page.map(({ id }) => id));
  }
}

async function checkQueue(
  context: Context,
  waitlistId: string,
  environment: string,
  repair: boolean,
): Promise<Finding> {
  const what = `${waitlistId} in ${environment}`;
  try {
    const queue = await context.directory.queue(waitlistId, environment);
    if (!queue) return { what, ok: false, detail: 'has no queue' };
    const audit = await auditQueue(context, queue, repair);
    const detail = audit.findings.length === 0 ? `${audit.entries} entries` : audit.findings.join('; ');
    return {
      what,
      ok: audit.findings.length === 0 || audit.repaired,
      detail: audit.repaired ? `mended: ${detail}` : detail,
    };
  } catch (error) {
    return { what, ok: false, detail: (error as Error).message };
  }
}
