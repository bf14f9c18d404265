import type { FastifyInstance } from 'fastify';
import type { Log } from '../../waitlist/context.ts';

/** One line a request. The route's pattern stands for the path: paths hold emails and invite codes. */
export function registerRequestLog(app: FastifyInstance, log: Log): void {
  app.addHook('onRequest', (request, reply, next) => {
    reply.header('x-request-id', request.id);
    reply.header('cache-control', 'no-store');
    next();
  });
  app.addHook('onResponse', (request, reply, next) => {
    log.info(
      {
        requestId: request.id,
        method: request.method,
        route: request.routeOptions.url ?? 'unknown',
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
      },
      'request',
    );
    next();
  });
}
