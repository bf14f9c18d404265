import type { Config } from '../config/config.ts';
import { checkInstallation } from '../installation/health.ts';
import type { AppParts } from './app.ts';
import type { BuildState } from './thread-offers.ts';

type OwnParts = Pick<AppParts, 'context' | 'keyUsage' | 'signups' | 'passwords' | 'metrics'> & {
  dashboard: { directory: string; state: () => BuildState };
};

/** What a thread has of its own, and what the configuration says. */
export function appParts(config: Config, { dashboard, ...own }: OwnParts): AppParts {
  const { directory, state } = dashboard;
  return {
    ...own,
    dashboard: { directory, problem: () => state().problem, building: () => state().building },
    role: config.role,
    rateLimits: config.rateLimits,
    trustedProxies: config.trustedProxies,
    webhookAllow: config.webhookAllow,
    publicUrl: config.publicUrl,
    emails: {
      from: config.mailFrom,
      smtp: config.smtpUrl !== undefined,
      dkim: config.dkim,
      bounceAddress: config.bounceAddress,
    },
    checkHealth: () => checkInstallation(own.context, config),
    sessions: config.sessions,
    webhookProxy: config.webhookProxy,
  };
}
