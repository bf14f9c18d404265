import { isIP } from 'node:net';
import type { FastifyInstance } from 'fastify';

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

export function bareAddress(text: string): string {
  const trimmed = text.trim();
  const [, six, four] = ADDRESS.exec(trimmed) ?? [];
  const address = six ?? four ?? trimmed;
  return isIP(address) ? address : trimmed;
}
