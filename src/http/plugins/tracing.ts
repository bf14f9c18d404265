import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Span, Tracer } from '../../lib/tracer.ts';

const spans = new WeakMap<FastifyRequest, Span>();
/** Asked every few seconds, and of no interest. */
const UNTRACED = ['/healthz', '/readyz', '/metrics'];
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** A span for each request that is traced. Paths contain emails and invite codes, so it has the route's pattern. */
export function registerTracing(app: FastifyInstance, tracer: Tracer): void {
  app.addHook('onRequest', (request, reply, next) => {
    const route = request.routeOptions.url;
    if (route !== undefined && UNTRACED.includes(route)) return next();
    const method = METHODS.includes(request.method) ? request.method : '_OTHER';
    const { traceparent } = request.headers;
    const span = tracer.request(
      route === undefined ? method : `${method} ${route}`,
      typeof traceparent === 'string' ? traceparent : undefined,
    );
    if (!span) return next();
    spans.set(request, span);
    span.set({ 'http.request.method': method, ...(route === undefined ? {} : { 'http.route': route }) });
    reply.raw.once('close', () => {
      const isAnswered = reply.raw.writableFinished;
      span.set(isAnswered ? { 'http.response.status_code': reply.statusCode } : { 'error.type': 'aborted' });
      span.end(isAnswered && reply.statusCode < 500);
    });
    next();
  });
  // Not before: hooks share a turn of the event loop with other requests, and reading a body forgets whose it was.
  app.addHook('preHandler', (request, _reply, next) => {
    const span = spans.get(request);
    if (span) tracer.run(span, next);
    else next();
  });
}

/** For the line in the log. */
export function traceIdOf(request: FastifyRequest): string | undefined {
  return spans.get(request)?.traceId;
}
