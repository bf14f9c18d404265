import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';

const SANE = /^[A-Za-z0-9._:/+=-]{1,128}$/;
let prefix = '';
let count = 0;

/** A random prefix and a counter: unique across instances, and cheap. */
export function newRequestId(): string {
  if (count === 0) prefix = `req_${randomBytes(9).toString('hex')}`;
  count = (count + 1) % 0xffffff;
  return prefix + count.toString(36);
}

/** Uses the caller's own id if it is valid. */
export function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && SANE.test(given) ? given : newRequestId();
}

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

/** Paths that programs use. Their 404 is JSON, whoever asks. */
const NOT_PAGES =
  /^\/(sdk|admin|form|gate|mail-events|assets|docs|openapi\.json|healthz|readyz|metrics)(\/|$)/;

/** A person opens an address in a browser, as opposed to a program that calls it. */
export function isNavigation({ method, url, headers }: FastifyRequest): boolean {
  return (
    (method === 'GET' || method === 'HEAD') &&
    /\btext\/html\b/.test(headers.accept ?? '') &&
    headers['content-length'] === undefined &&
    headers['transfer-encoding'] === undefined &&
    !NOT_PAGES.test(url)
  );
}
