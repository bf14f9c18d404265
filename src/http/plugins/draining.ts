import type { FastifyInstance } from 'fastify';
import { unavailable } from '../../errors.ts';

const RETRY_AFTER_SECONDS = 5;

/** Counts the requests under way, so that a stop can wait for them and refuse new ones. */
export interface Draining {
  readonly active: boolean;
  /** From now on new requests get a 503; resolves when the last one under way has been answered. */
  start(): Promise<void>;
}

export function registerDraining(app: FastifyInstance): Draining {
  const counted = new WeakSet<object>();
  let draining = false;
  let underWay = 0;
  let done = () => {};

  app.addHook('onRequest', (request, reply, next) => {
    if (draining) {
      reply.header('connection', 'close');
      next(unavailable('the service is shutting down: try again in a moment', RETRY_AFTER_SECONDS));
      return;
    }
    counted.add(request);
    underWay += 1;
    next();
  });
  app.addHook('onResponse', (request, _reply, next) => {
    if (counted.delete(request)) underWay -= 1;
    if (draining && underWay === 0) done();
    next();
  });

  return {
    get active() {
      return draining;
    },
    start: () =>
      new Promise((resolve) => {
        draining = true;
        done = resolve;
        if (underWay === 0) resolve();
      }),
  };
}
