import type { FastifyInstance } from 'fastify';
import type { Config } from '../config/config.ts';
import type { Dashboard } from '../http/dashboard/dashboard-routes.ts';
import { registerHealth } from '../http/plugins/health.ts';
import type { Lifecycle } from '../http/plugins/lifecycle.ts';
import { registerMetrics } from '../http/plugins/metrics.ts';
import { rateLimiter } from '../http/plugins/rate-limit.ts';
import { checkInstallation } from '../installation/health.ts';
import { ownCommands } from '../installation/own-commands.ts';
import { openOperators } from '../operators/context.ts';
import type { Context } from '../waitlist/queue/context.ts';
import { type AppParts, openApp } from './app.ts';
import { DASHBOARD_DIRECTORY } from './build-dashboard.ts';
import type { BuildState } from './thread-offers.ts';
import type { ClosableTracer, TracerParts } from './tracer.ts';

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

type WorkerParts = Pick<AppParts, 'context' | 'publicUrl' | 'trustedProxies' | 'rateLimits' | 'metrics'>;

/** The port of an instance that serves no API: whether it lives, whether it can work, and its metrics. */
export async function buildWorkerApp(parts: WorkerParts): Promise<{ app: FastifyInstance } & Lifecycle> {
  const { context, rateLimits, metrics } = parts;
  const { app, lifecycle } = openApp(parts);
  registerHealth(app.withTypeProvider(), context, { role: 'worker' });
  const failures = rateLimiter('admin-auth-failures', rateLimits.authFailures, context);
  if (metrics) registerMetrics(app, metrics, { context: await openOperators(context), failures });
  return { app, ...lifecycle };
}

/** Loaded only if there is a collector. */
export async function openTracer(
  { tracing }: Config,
  parts: TracerParts,
): Promise<ClosableTracer | undefined> {
  if (!tracing) return undefined;
  const { createTracer } = await import('./tracer.ts');
  return createTracer(tracing, parts);
}
