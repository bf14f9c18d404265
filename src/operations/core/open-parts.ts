import type { Config } from '../../config/config.ts';
import { ownCommands } from '../../installation/own-commands.ts';
import { allowList } from '../../lib/addresses.ts';
import { openAccounts } from '../../mail/operators/notices.ts';
import { openDns } from '../../mail/sender/dns.ts';
import { hasMailServer, sendingOf } from '../../mail/sending.ts';
import { recordReadings } from '../../operators/recorded-reads.ts';
import type { Context } from '../../waitlist/queue/context.ts';
import { createGuard } from '../../webhooks/guard.ts';
import type { OperationParts } from './parts.ts';

/** For a process that performs one operation, and serves nobody meanwhile. It sends and links as the server does. */
export async function openOperationParts(waitlists: Context, config: Config): Promise<OperationParts> {
  const { dkim, bounceAddress, webhookAllow } = config;
  const context = await openAccounts(waitlists);
  const { publicUrl, defaultFrom: from } = await sendingOf(waitlists, config);
  return {
    ...{ waitlists, context, publicUrl, openDns, commands: ownCommands(config) },
    emails: { from, smtp: await hasMailServer(waitlists, config), dkim, bounceAddress },
    checkHealth: async () => {
      const { checkInstallation } = await import('../../installation/health.ts'); // Most operations start faster.
      return checkInstallation(waitlists, config);
    },
    pageTurn: (_caller, work) => work(),
    searchTurn: (_caller, work) => work(),
    makeWay: async () => {},
    guard: createGuard(allowList(webhookAllow)),
    recordReading: recordReadings(context),
    refusals: { write: async () => {} },
  };
}
