import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const ONE_DAY_SECONDS = 86_400;

/** The two invite endpoints are called from join pages on any origin, without credentials. No other endpoint is. */
const OPEN_PATHS = ['/sdk/v1/waitlist/invites/:code', '/sdk/v1/waitlist/invites/:code/accept'];
const OPEN_PREFIX = '/sdk/v1/waitlist/invites/';

export function registerCors(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, next) => {
    allowAnyOrigin(request, reply);
    next();
  });
  for (const url of OPEN_PATHS) {
    app.options(url, { schema: { hide: true } }, async (_request, reply) => {
      reply
        .code(204)
        .header('access-control-allow-methods', url.endsWith('accept') ? 'POST' : 'GET')
        .header('access-control-allow-headers', 'content-type, idempotency-key, x-request-id')
        .header('access-control-max-age', String(ONE_DAY_SECONDS));
    });
  }
}

/** Also called for refusals that are sent before any hook has run. */
export function allowAnyOrigin(request: FastifyRequest, reply: FastifyReply): void {
  if (request.headers.origin === undefined || !isOpen(request)) return;
  reply.header('access-control-allow-origin', '*');
  reply.header('access-control-expose-headers', 'retry-after, ratelimit, ratelimit-policy, x-request-id');
}

/** A path that is broken has no route; one like `/invites/entries/…` has another. */
function isOpen({ url, routeOptions }: FastifyRequest): boolean {
  return (
    url.startsWith(OPEN_PREFIX) && (routeOptions.url === undefined || OPEN_PATHS.includes(routeOptions.url))
  );
}
