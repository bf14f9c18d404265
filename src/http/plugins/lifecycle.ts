import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RequestLines } from '../../config/variables.ts';
import { invalid, notFound, unavailable } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import type { Meter, Tracer } from '../../lib/telemetry.ts';
import { STATUS } from '../problem.ts';
import { HttpError, NOTHING_HERE } from './errors.ts';
import { isNavigation } from './headers.ts';
import { traceIdOf } from './metrics.ts';
import type { RouteTable } from './route-table.ts';

const RETRY_AFTER_SECONDS = 5;

/** How long a download makes way for other requests, so that it also ends on a server that is never idle. */
const MAKE_WAY_MS = 20;
/**
 * Its rest after each piece while others use the server. On two cores with PostgreSQL, a rest of 2 ms made the p99 of
 * signups 2.5 times as long; this one leaves it as it is.
 */
const REST_MS = 8;
const IN_USE_MS = 1_000;
/** The longest interval that load balancers offer is five minutes, but none uses it where restarts matter. */
const PROBED_WITHIN_MS = 60_000;

export interface Lifecycle {
  /**
   * Not ready from now on, but requests are still served. Clients are told to open their next connection elsewhere.
   */
  announceStop(): void;
  /** Whether a load balancer or supervisor has asked for the health of this server within the last minute. */
  isProbed(): boolean;
  /** New requests get a 503 from now on. Resolves when all running requests have been answered. */
  drain(): Promise<void>;
  /** For a response that takes long: resolves when no other request waits, or after a moment. */
  makeWay(): Promise<void>;
  /** For requests that take turns: resolves after so many milliseconds if others have come since the last call or still wait. */
  giveWay(ms: number): Promise<void>;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Takes long by nature: a download, an upload or a stream. Downloads do not make way for it. */
    isLong?: boolean;
    /** Takes more than its share, and is asked for in crowds. Others come first. */
    takesTurns?: boolean;
  }
}

interface Recorders {
  readonly log: Log;
  /** `problems` unless given. */
  readonly requestLines?: RequestLines | undefined;
  readonly meter: Meter;
  readonly tracer?: Tracer | undefined;
}

/** Nobody should wait as long as this. */
const SLOW_MS = 1_000;

/** Applies to every request: an id, no caching, one log line, its metrics, and a graceful stop. */
export function registerLifecycle(app: FastifyInstance, recorders: Recorders, routes: RouteTable): Lifecycle {
  let stopping = false;
  let draining = false;
  let probedAt = Number.NEGATIVE_INFINITY;
  let underWay = 0;
  let long = 0;
  let others = 0;
  let haveOthersCome = false;
  let usedAt = Number.NEGATIVE_INFINITY;
  let drained = () => {};
  const waiting = new Set<() => void>();

  app.addHook('onRequest', (request, reply, next) => {
    reply.header('x-request-id', request.id);
    reply.header('cache-control', 'no-store');
    const refused = draining;
    const { url, config } = request.routeOptions; // Read once: it is made anew each time.
    const isLong = config.isLong === true && !refused;
    if (!refused) underWay += 1;
    if (isLong) long += 1;
    else usedAt = performance.now();
    const isMeant = url !== undefined && !isProbe(url); // A stranger's guesses must not slow down anybody.
    const isOther = isMeant && !refused && !isLong && config.takesTurns !== true;
    if (isOther) {
      others += 1;
      haveOthersCome = true;
    }
    recordWhenAnswered(recorders, request, reply, url ?? routes.find(request.url)?.pattern, () => {
      if (!refused) underWay -= 1;
      if (isLong) long -= 1;
      if (isOther) others -= 1;
      if (draining && underWay === 0) drained();
      if (underWay === long) for (const resume of waiting) resume();
    });
    if (isProbe(url)) probedAt = performance.now();
    if (stopping) reply.header('connection', 'close');
    if (refused || (stopping && url === '/readyz'))
      return next(unavailable('the service is shutting down: try again in a moment', RETRY_AFTER_SECONDS));
    next(refusalOf(request, routes));
  });

  return {
    announceStop: () => {
      stopping = true;
    },
    isProbed: () => performance.now() - probedAt < PROBED_WITHIN_MS,
    drain: () =>
      new Promise((resolve) => {
        stopping = true;
        draining = true;
        drained = resolve;
        if (underWay === 0) resolve();
      }),
    makeWay: async () => {
      const isInUse = performance.now() - usedAt < IN_USE_MS;
      // Requests that have arrived meanwhile are counted afterwards.
      await new Promise((resolve) => (isInUse ? setTimeout(resolve, REST_MS) : setImmediate(resolve)));
      if (underWay === long) return;
      await new Promise<void>((resolve) => {
        const resume = () => {
          clearTimeout(timer);
          waiting.delete(resume);
          resolve();
        };
        const timer = setTimeout(resume, MAKE_WAY_MS);
        waiting.add(resume);
      });
    },
    giveWay: async (ms) => {
      if (others > 0 || haveOthersCome) await new Promise((resolve) => setTimeout(resolve, ms));
      haveOthersCome = false;
    },
  };
}

function isProbe(route: string | undefined): boolean {
  return route === '/readyz' || route === '/healthz';
}

/** Checks that do not need the body: an unknown path has no body limit. */
function refusalOf(request: FastifyRequest, routes: RouteTable): Error | undefined {
  const { headers, raw, is404 } = request;
  if (headers.host === undefined && raw.httpVersionMinor === 1) return invalid('Host: is required');
  if (countHosts(raw.rawHeaders) > 1) return invalid('Host: is given more than once');
  if (!is404) return;
  const known = routes.find(request.url);
  if (known) {
    const { allow } = known;
    return new HttpError('method_not_allowed', `this path supports only ${allow}`, { allow });
  }
  if (!isNavigation(request)) return notFound(NOTHING_HERE);
}

/** Node keeps the first one, a proxy in front may have looked at another. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === 'host') count += 1;
  return count;
}

/** `close` also fires if the client disconnects before the response. Fastify's own hooks do not. */
export function recordWhenAnswered(
  { log, meter, tracer, requestLines = 'problems' }: Recorders,
  request: FastifyRequest,
  reply: FastifyReply,
  route = 'unknown',
  then = () => {},
): void {
  const startedAt = performance.now();
  reply.raw.once('close', () => {
    const ms = performance.now() - startedAt;
    // Load balancers ask every few seconds.
    const isInfo = !isProbe(route) && isWorthALine(requestLines, request, reply, ms);
    const seen = { route, ms, traceId: tracer && traceIdOf(request) };
    logRequest(log, isInfo ? 'info' : 'debug', request, reply, seen);
    const status = reply.raw.writableFinished ? reply.statusCode : 'aborted';
    meter.request(route, request.method, status, ms / 1000);
    then();
  });
}

/**
 * Of the problems, not a 503: while the database is away, each request would get a line, and the state of the database
 * has one already.
 */
function isWorthALine(
  lines: RequestLines,
  { routeOptions }: FastifyRequest,
  { statusCode }: FastifyReply,
  ms: number,
): boolean {
  if (lines !== 'problems') return lines === 'all';
  if (statusCode === STATUS.unavailable) return false;
  return statusCode >= 500 || (ms >= SLOW_MS && routeOptions.config?.isLong !== true);
}

/** Logs the route's pattern, because paths contain emails and invite codes. */
function logRequest(
  log: Log,
  level: 'info' | 'debug',
  request: FastifyRequest,
  reply: FastifyReply,
  { route, ms, traceId }: { route: string; ms: number; traceId: string | undefined },
): void {
  log[level](
    {
      requestId: request.id,
      method: request.method,
      route,
      status: reply.statusCode,
      ms: Math.round(ms * 10) / 10,
      ...(traceId === undefined ? {} : { traceId }),
      ...(reply.raw.writableFinished ? {} : { aborted: true }),
    },
    'request',
  );
}
