import type { FastifyRequest } from 'fastify';
import { DoorlistError } from '../../errors.ts';

const READS = ['GET', 'HEAD', 'OPTIONS', 'TRACE'];

/**
 * Refuses a write that another site made the browser send. Browsers say where a request comes from in Sec-Fetch-Site,
 * older ones in Origin alone; what says neither is no browser, and carries no cookie that its user did not give it.
 */
export function refuseCrossSite({ method, headers, host }: FastifyRequest, publicUrl: string): void {
  if (READS.includes(method)) return;
  const site = headers['sec-fetch-site'];
  const { origin } = headers;
  const refused =
    site !== undefined
      ? site !== 'same-origin' && site !== 'none'
      : origin !== undefined && origin !== new URL(publicUrl).origin && hostOf(origin) !== host;
  if (refused) throw new DoorlistError('cross_site', 'this request came from another site');
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
