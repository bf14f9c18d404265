import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { DoorlistError } from '../../lib/errors.ts';
import type { Span, Tracer } from '../../lib/telemetry.ts';
import type { OperatorContext } from '../../operators/context.ts';
import { findToken } from '../../operators/tokens.ts';
import { clientOf, type RateLimiter } from './rate-limit.ts';

export interface MetricsPage {
  readonly contentType: string;
  /** In the text format of Prometheus. */
  read(): Promise<string>;
}

interface Access {
  context: OperatorContext;
  failures: RateLimiter;
}

const PATH = '/metrics';
const ANSWER_DEADLINE_MS = 10_000;

/** For a Prometheus that reaches only the public port. Any admin token will do: there is no personal data in it. */
export function registerMetrics(
  app: FastifyInstance,
  page: MetricsPage,
  { context, failures }: Access,
): void {
  app.get(PATH, { schema: { hide: true } }, async (request, reply) => {
    const [, secret = ''] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
    if (!(await findToken(context, secret))) {
      failures.take(clientOf(request), reply);
      throw new DoorlistError(
        'unauthorized',
        'send an admin token as Authorization: Bearer <token>, or set DOORLIST_METRICS_PORT and ask there',
      );
    }
    return reply.type(page.contentType).send(await page.read());
  });
}

/** On a port of its own, for everybody who can reach it. */
export async function listenForMetrics(
  page: MetricsPage,
  address: { host: string; port: number },
): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer({ requestTimeout: ANSWER_DEADLINE_MS }, async (request, response) => {
    if (request.url?.split('?', 1)[0] !== PATH) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end(`The metrics are at ${PATH}.\n`);
      return;
    }
    try {
      const text = await page.read();
      response.writeHead(200, { 'content-type': page.contentType }).end(text);
    } catch (error) {
      response.writeHead(500, { 'content-type': 'text/plain' }).end(`${(error as Error).message}\n`);
    }
  });
  server.listen(address);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

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
