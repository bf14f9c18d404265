import type { FastifyInstance } from 'fastify';

interface KnownPath {
  /** As in the route, with the names of its parameters. */
  pattern: string;
  /** The methods it supports, for the `Allow` header. */
  allow: string;
}

export interface RouteTable {
  /** The path among all routes, whatever its method. Only asked when no route matches. */
  find(url: string): KnownPath | undefined;
}

/** Remembers all routes that are added after the call. */
export function recordRoutes(app: FastifyInstance): RouteTable {
  const methods = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const known = methods.get(url) ?? new Set();
    for (const each of [method].flat()) known.add(each.toUpperCase());
    methods.set(url, known);
  });
  let paths: (KnownPath & { test: RegExp })[] | undefined;
  return {
    find: (url) => {
      paths ??= [...methods.keys()].sort(bySpecificity).map((pattern) => ({
        pattern,
        allow: [...(methods.get(pattern) ?? [])].sort().join(', '),
        test: toRegExp(pattern),
      }));
      const path = decode(pathOf(url));
      return path === undefined ? undefined : paths.find(({ test }) => test.test(path));
    },
  };
}

const PARAMETER = /:[A-Za-z]+/g;

/** A fixed segment goes before a parameter, and a parameter before a wildcard, as in the router. */
function bySpecificity(a: string, b: string): number {
  const [left, right] = [a, b].map((pattern) =>
    pattern.replace(PARAMETER, '\u{fffe}').replace('*', '\u{ffff}'),
  );
  return (left as string) < (right as string) ? -1 : 1;
}

function toRegExp(pattern: string): RegExp {
  const parts = pattern.split(PARAMETER).map((part) => part.replace(/[.+()]/g, '\\$&').replace('*', '.*'));
  return new RegExp(`^${parts.join('[^/]*')}$`);
}

/** `OPTIONS *` and absolute addresses are meant for proxies, and reach servers too. */
function pathOf(url: string): string {
  const path = url === '*' ? '/' : url.replace(/^https?:\/\/[^/]*/, '');
  return path.split(/[?#]/, 1)[0] ?? '';
}

function decode(path: string): string | undefined {
  try {
    return decodeURI(path);
  } catch {
    return undefined;
  }
}
