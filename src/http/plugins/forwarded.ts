import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isPublicAddress } from '../../lib/addresses.ts';
import type { Log } from '../../lib/log.ts';

const HEADER = 'x-forwarded-for';

/**
 * Some proxies add ports, brackets or quotes to forwarded addresses: `192.0.2.1:5678`, `"[2001:db8::1]:443"`.
 * Unparsed, a trusted proxy would not be recognized, and each connection would count as a new client.
 * Registered only if proxies are trusted.
 */
export function registerForwardedAddresses(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw: { headers } }, _reply, next) => {
    const forwarded = headers[HEADER];
    if (typeof forwarded === 'string') {
      const addresses = lastAddresses(forwarded);
      if (addresses.length > 0) headers[HEADER] = addresses.join(', ');
      else delete headers[HEADER];
    }
    next();
  });
}

const ADDRESS = /^"?(?:for=)?"?(?:\[([^\]]*)\]|([0-9.]+))(?::[0-9]*)?"?$/i;

/**
 * The entries after the last one that is no address. Whoever sends such an entry could make up a new one for each
 * request, so it counts for the proxy that passed it on.
 */
function lastAddresses(header: string): string[] {
  const entries = header.split(',').filter((entry) => entry.trim() !== '');
  const addresses = entries.map(bareAddress);
  return addresses.slice(addresses.lastIndexOf(undefined) + 1) as string[];
}

function bareAddress(entry: string): string | undefined {
  const text = entry.trim();
  const [, six, four] = ADDRESS.exec(text) ?? [];
  const address = six ?? four ?? text;
  return isIP(address) ? address : undefined;
}

/** Whoever sends such a header can add a line to the log, so there are few. */
const PROXIES_LOGGED_MAX = 5;
const FORWARDED_HEADERS = [HEADER, 'x-forwarded-proto', 'x-real-ip', 'forwarded'];

/** Without this line, an operator sees only that everybody is slowed down at once. */
export function registerProxyWarning(app: FastifyInstance, log: Log): void {
  const logged = new Set<string>();
  app.addHook('onRequest', (request, _reply, next) => {
    if (logged.size < PROXIES_LOGGED_MAX && isForwardedByStranger(request)) {
      const peer = (request.socket.remoteAddress ?? '').replace(/^::ffff:/, '');
      // The address of a person on the Internet does not belong in a log.
      const proxy = isPublicAddress(peer) ? 'a public address' : peer;
      if (!logged.has(proxy))
        log.warn(
          { proxy },
          'forwarded headers are ignored because their proxy is not trusted, so all its clients share one rate limit. If it is yours, set DOORLIST_TRUSTED_PROXIES to its address',
        );
      logged.add(proxy);
    }
    next();
  });
}

function isForwardedByStranger({ headers, ips }: FastifyRequest): boolean {
  // With trusted proxies, Fastify lists the addresses that they forwarded after the peer's own.
  if (ips) return headers[HEADER] !== undefined && ips.length === 1;
  return FORWARDED_HEADERS.some((name) => headers[name] !== undefined);
}

/** For requests whose proxy has left the path of the public URL in place: routes do not know it. */
export function withoutBasePath(base: string): (request: Pick<IncomingMessage, 'url'>) => string {
  return ({ url = '/' }) => {
    if (!url.startsWith(base)) return url;
    const rest = url.slice(base.length);
    if (rest.startsWith('/')) return rest;
    return rest === '' || rest.startsWith('?') ? `/${rest}` : url;
  };
}
