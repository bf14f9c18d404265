import type { FastifyInstance } from 'fastify';
import type { AdminParts } from './admin-parts.ts';
import { type Changeable, ifMatch, tagged } from './if-match.ts';
import { type AdminSchema, takesKey, withKey } from './operation.ts';
import { repeatable } from './repeatable.ts';
import type { AddRoutes, Handler } from './routes-for.ts';

/**
 * Lets every POST that is not harmless take an `Idempotency-Key`, and gives settings an ETag for `If-Match`. Call it before
 * adding the routes, with the function that adds them.
 */
export function takeConditions(app: FastifyInstance, parts: AdminParts, addRoutes: AddRoutes): void {
  const changeable = new Map<string, Changeable>();
  app.addHook('onRoute', (route) => {
    const { method, routePath: path } = route;
    const schema = route.schema as unknown as AdminSchema;
    if (typeof method !== 'string') return;
    const handler = route.handler as unknown as Handler;
    const inParts = { parts, addRoutes, method, path };
    let conditional = handler;
    if (method === 'POST' && takesKey(schema)) {
      route.schema = withKey(route.schema ?? {});
      conditional = repeatable(handler, inParts);
    }
    if (schema.settings) {
      const fields = Object.keys(schema.body?.properties ?? {});
      if (fields.length > 0) changeable.set(path, { ...schema.settings, fields });
      const settings = () => changeable.get(path) as Changeable;
      conditional = tagged(ifMatch(handler, { ...inParts, changeable: settings }), settings);
    }
    if (schema.showsSettings) conditional = tagged(handler, () => changeable.get(path));
    route.handler = conditional as unknown as typeof route.handler;
  });
}
