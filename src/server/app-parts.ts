import type { Config } from '../config/config.ts';
import type { Dashboard } from '../http/dashboard/register.ts';
import { checkInstallation } from '../installation/health.ts';
import { ownCommands } from '../installation/own-commands.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { AppParts } from './app.ts';
import { DASHBOARD_DIRECTORY } from './build-dashboard.ts';
import type { BuildState } from './thread-offers.ts';

type OwnParts = Omit<AppParts, keyof ReturnType<typeof configuredParts>>;

/** What a thread has of its own, and what the configuration says. */
export function appParts(config: Config, own: OwnParts): AppParts {
  return { ...configuredParts(config, own.context), ...own };
}

function configuredParts(config: Config, context: Context) {
  const { role, rateLimits, trustedProxies, webhookAllow, webhookProxy, publicUrl, sessions } = config;
  const { requestLines, mailFrom: from, smtpUrl, dkim, bounceAddress } = config;
  return {
    ...{ role, rateLimits, trustedProxies, webhookAllow, webhookProxy, publicUrl, sessions },
    requestLines,
    emails: { from, smtp: smtpUrl !== undefined, dkim, bounceAddress },
    commands: ownCommands(config),
    checkHealth: () => checkInstallation(context, config),
  };
}

/** The dashboard as it was built, or why it is not there. */
export function builtDashboard(state: () => BuildState): Dashboard {
  return {
    directory: DASHBOARD_DIRECTORY,
    problem: () => state().problem,
    building: () => state().building,
  };
}
