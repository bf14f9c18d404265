import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const ONE_DAY_SECONDS = 86_400;

/** Join pages on any origin call these two endpoints, without credentials. No other endpoint allows this. */
const OPEN_PATHS = ['/sdk/v1/waitlist/invites/:code', '/sdk/v1/waitlist/invites/:code/accept'];
const OPEN_PREFIX = '/sdk/v1/waitlist/invites/';
const OPEN_PATH = /^\/sdk\/v1\/waitlist\/invites\/[^/?]*(?:\/accept)?$/;

const ANY_ORIGIN = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'retry-after, ratelimit, ratelimit-policy, x-request-id',
};

export function registerCors(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, next) => {
    allowAnyOrigin(request, reply);
    next();
  });
  for (const url of OPEN_PATHS) {
    app.options(url, { schema: { hide: true } }, async (request, reply) => {
      reply.code(204).headers(preflightHeaders(url, request.headers));
    });
  }
}

const HEADER_NAMES = /^[A-Za-z0-9!#$%&'*+.^_`|~, \t-]{1,4096}$/;

/**
 * Allows any request header: without credentials, none can do harm. They are listed by name, because `*` does
 * not include Authorization.
 */
function preflightHeaders(path: string, headers: IncomingHttpHeaders): Record<string, string> {
  const asked = headers['access-control-request-headers'] ?? '';
  return {
    'access-control-allow-methods': path.endsWith('/accept') ? 'POST' : 'GET',
    'access-control-allow-headers': HEADER_NAMES.test(asked) ? asked : '*',
    'access-control-max-age': String(ONE_DAY_SECONDS),
    vary: 'access-control-request-headers',
  };
}

/** Also called for rejections that are sent before any hook runs. */
export function allowAnyOrigin(request: FastifyRequest, reply: FastifyReply): void {
  if (request.headers.origin === undefined || !isOpen(request)) return;
  reply.headers(ANY_ORIGIN);
}

/** A malformed path has no route, and one like `/invites/entries/…` has a different one. */
function isOpen({ url, routeOptions }: FastifyRequest): boolean {
  return (
    url.startsWith(OPEN_PREFIX) && (routeOptions.url === undefined || OPEN_PATHS.includes(routeOptions.url))
  );
}

/** For when there are no routes yet: the headers for a cross-origin request, whether or not it succeeds. */
export function corsHeadersWithoutRoutes({ method, url = '', headers }: IncomingMessage): {
  isPreflight: boolean;
  headers: Record<string, string>;
} {
  const path = url.split('?', 1)[0] ?? '';
  if (headers.origin === undefined || !OPEN_PATH.test(path)) return { isPreflight: false, headers: {} };
  const isPreflight = method === 'OPTIONS';
  return { isPreflight, headers: { ...ANY_ORIGIN, ...(isPreflight ? preflightHeaders(path, headers) : {}) } };
}
