import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { invalid, notFound, unavailable } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { NOTHING_HERE } from './errors.ts';
import { isNavigation } from './navigation.ts';

const RETRY_AFTER_SECONDS = 5;

export interface Draining {
  /** New requests get a 503 from now on. Resolves when all running requests have been answered. */
  start(): Promise<void>;
}

/** Applies to every request: an id, no caching, one log line, and a graceful stop. */
export function registerLifecycle(app: FastifyInstance, log: Log): Draining {
  let draining = false;
  let underWay = 0;
  let done = () => {};

  app.addHook('onRequest', (request, reply, next) => {
    reply.header('x-request-id', request.id);
    reply.header('cache-control', 'no-store');
    const refused = draining;
    if (!refused) underWay += 1;
    logWhenAnswered(log, request, reply, () => {
      if (!refused) underWay -= 1;
      if (draining && underWay === 0) done();
    });
    if (!refused) return next(refusalOf(request));
    reply.header('connection', 'close');
    next(unavailable('the service is shutting down: try again in a moment', RETRY_AFTER_SECONDS));
  });

  return {
    start: () =>
      new Promise((resolve) => {
        draining = true;
        done = resolve;
        if (underWay === 0) resolve();
      }),
  };
}

/** Checks that do not need the body: an unknown path has no body limit. */
function refusalOf(request: FastifyRequest): Error | undefined {
  const { headers, raw, is404 } = request;
  if (headers.host === undefined && raw.httpVersionMinor === 1) return invalid('Host: is required');
  if (is404 && !isNavigation(request)) return notFound(NOTHING_HERE);
}

/** `close` also fires if the client disconnects before the response. Fastify's own hooks do not. */
export function logWhenAnswered(
  log: Log,
  request: FastifyRequest,
  reply: FastifyReply,
  then = () => {},
): void {
  const startedAt = performance.now();
  reply.raw.once('close', () => {
    logRequest(log, request, reply, performance.now() - startedAt);
    then();
  });
}

/** Logs the route's pattern, because paths contain emails and invite codes. */
function logRequest(log: Log, request: FastifyRequest, reply: FastifyReply, ms: number): void {
  log.info(
    {
      requestId: request.id,
      method: request.method,
      route: request.routeOptions.url ?? 'unknown',
      status: reply.statusCode,
      ms: Math.round(ms * 10) / 10,
      ...(reply.raw.writableFinished ? {} : { aborted: true }),
    },
    'request',
  );
}
