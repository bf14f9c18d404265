import { METHODS } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { HttpError } from './errors.ts';

/** Responds with 405 and `Allow` if a path exists for other methods. Call it before adding routes. */
export function registerMethodCheck(app: FastifyInstance): { complete(): void } {
  const allowed = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const methods = allowed.get(url) ?? new Set();
    for (const each of [method].flat()) methods.add(each.toUpperCase());
    allowed.set(url, methods);
  });
  const answerable = METHODS.filter((method) => method !== 'CONNECT');
  for (const method of answerable) {
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method, { hasBody: true });
  }
  return {
    complete: () => {
      for (const [url, methods] of [...allowed]) {
        const allow = [...methods].sort().join(', ');
        app.route({
          url,
          method: answerable.filter((method) => !methods.has(method)),
          schema: { hide: true },
          onRequest: async () => {
            throw new HttpError('method_not_allowed', `this path supports only ${allow}`, { allow });
          },
          handler: async () => {},
        });
      }
    },
  };
}
