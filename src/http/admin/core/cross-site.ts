import type { FastifyRequest } from 'fastify';
import { DoorlistError } from '../../../lib/errors.ts';

const READS = ['GET', 'HEAD', 'OPTIONS', 'TRACE'];

/**
 * Rejects writes that another site made the browser send. Browsers send their origin in Sec-Fetch-Site, older
 * ones only in Origin. A client that sends neither is not a browser, and has no cookie that its user did not
 * give it.
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
