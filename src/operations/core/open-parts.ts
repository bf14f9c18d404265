import type { Config } from '../../config/config.ts';
import { checkInstallation } from '../../installation/health.ts';
import { ownCommands } from '../../installation/own-commands.ts';
import { allowList } from '../../lib/addresses.ts';
import { openAccounts } from '../../mail/operators/notices.ts';
import { openDns } from '../../mail/sender/dns.ts';
import { recordReadings } from '../../operators/recorded-reads.ts';
import type { Context } from '../../waitlist/queue/context.ts';
import { createGuard } from '../../webhooks/guard.ts';
import type { OperationParts } from './parts.ts';

/** For a process that performs one operation, and serves nobody meanwhile. */
export async function openOperationParts(waitlists: Context, config: Config): Promise<OperationParts> {
  const { publicUrl, mailFrom: from, smtpUrl, dkim, bounceAddress, webhookAllow } = config;
  const context = await openAccounts(waitlists);
  return {
    ...{ waitlists, context, publicUrl, openDns, commands: ownCommands(config) },
    emails: { from, smtp: smtpUrl !== undefined, dkim, bounceAddress },
    checkHealth: () => checkInstallation(waitlists, config),
    pageTurn: (_caller, work) => work(),
    makeWay: async () => {},
    guard: createGuard(allowList(webhookAllow)),
    recordReading: recordReadings(context),
    refusals: { write: async () => {} },
  };
}
