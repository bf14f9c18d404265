import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TypedApp } from '../../typed-app.ts';
import type { AdminParts } from './admin-parts.ts';

export type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown;

/** Adds the routes of an API, whose handlers use these parts. */
export type AddRoutes = (app: TypedApp, parts: AdminParts) => void | Promise<void>;

/** The handlers by method and path, made for other parts than those that listen: for those of one request. */
export async function handlersFor(
  addRoutes: AddRoutes,
  parts: AdminParts,
): Promise<(method: string, path: string) => Handler> {
  const handlers = new Map<string, Handler>();
  const record =
    (method: string) =>
    (path: string, options: { handler?: Handler }, handler = options.handler) =>
      handlers.set(`${method} ${path}`, handler as Handler);
  const methods = Object.fromEntries(
    ['get', 'post', 'put', 'patch', 'delete'].map((name) => [name, record(name.toUpperCase())]),
  );
  const route = ({ method, url, handler }: { method: string; url: string; handler: Handler }) =>
    handlers.set(`${method} ${url}`, handler);
  const app: object = new Proxy(
    { ...methods, route, register: (add: (app: object) => unknown) => add(app) },
    { get: (known, name) => known[name as keyof typeof known] ?? (() => app) },
  );
  await addRoutes(app as TypedApp, parts);
  return (method, path) => {
    const handler = handlers.get(`${method} ${path}`);
    if (!handler) throw new Error(`there is no route ${method} ${path}`);
    return handler;
  };
}
