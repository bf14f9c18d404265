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
    if (typeof forwarded === 'string') headers[HEADER] = forwarded.split(',').map(bareAddress).join(', ');
    next();
  });
}

const ADDRESS = /^"?(?:for=)?"?(?:\[([^\]]*)\]|([0-9.]+))(?::[0-9]*)?"?$/i;

function bareAddress(text: string): string {
  const trimmed = text.trim();
  const [, six, four] = ADDRESS.exec(trimmed) ?? [];
  const address = six ?? four ?? trimmed;
  return isIP(address) ? address : trimmed;
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
