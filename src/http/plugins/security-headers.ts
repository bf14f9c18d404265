import type { FastifyInstance } from 'fastify';

const YEAR_SECONDS = 365 * 86_400;

/** Browsers must not guess types, and must keep to HTTPS once they have seen it. */
export function registerSecurityHeaders(app: FastifyInstance, publicUrl: string): void {
  const headers = {
    'x-content-type-options': 'nosniff',
    ...(publicUrl.startsWith('https:') && { 'strict-transport-security': `max-age=${YEAR_SECONDS}` }),
  };
  app.addHook('onRequest', (_request, reply, next) => {
    reply.headers(headers);
    next();
  });
}
