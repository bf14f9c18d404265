import type { FastifyRequest } from 'fastify';

/** Paths that programs use. Their 404 is JSON, whoever asks. */
const NOT_PAGES =
  /^\/(sdk|admin|form|gate|mail-events|assets|docs|openapi\.json|healthz|readyz|metrics)(\/|$)/;

/** A person opens an address in a browser, as opposed to a program that calls it. */
export function isNavigation({ method, url, headers }: FastifyRequest): boolean {
  return (
    (method === 'GET' || method === 'HEAD') &&
    /\btext\/html\b/.test(headers.accept ?? '') &&
    headers['content-length'] === undefined &&
    headers['transfer-encoding'] === undefined &&
    !NOT_PAGES.test(url)
  );
}
