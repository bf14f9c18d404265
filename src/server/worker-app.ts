import type { FastifyInstance } from 'fastify';
import { registerHealth } from '../http/plugins/health.ts';
import type { Lifecycle } from '../http/plugins/lifecycle.ts';
import { registerMetrics } from '../http/plugins/metrics.ts';
import { rateLimiter } from '../http/plugins/rate-limit.ts';
import { openOperators } from '../operators/context.ts';
import { type AppParts, openApp } from './app.ts';

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
