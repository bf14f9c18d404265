import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Document } from '../docs/document.ts';
import { CONTENT_SECURITY_POLICY, type Related, renderPage } from '../docs/page.ts';

const compress = promisify(gzip);

interface Reference {
  path: string;
  /** Where the document itself is served. */
  source: string;
  document: () => Document;
  /** The path of the public URL. */
  base?: string;
  /** The other API reference, to link to. */
  related?: Related;
}

/** An HTML API reference, generated from the OpenAPI document. */
export function registerDocs(
  app: FastifyInstance,
  { path, source, document, base = '', related }: Reference,
): void {
  let render: ReturnType<typeof renderPage> | undefined;
  app.get(path, { schema: { hide: true } as object }, async (request, reply) => {
    render ??= renderPage(document(), base + source, related && { ...related, path: base + related.path });
    reply
      .type('text/html; charset=utf-8')
      .headers({
        'content-security-policy': CONTENT_SECURITY_POLICY,
        'referrer-policy': 'no-referrer',
      })
      .serializer((page: string | Buffer) => page as string);
    const page = render(addressOf(request) + base);
    reply.header('vary', 'accept-encoding');
    if (!/\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))) return page;
    reply.header('content-encoding', 'gzip');
    return compress(page); // The reference of the admin API is nearly a megabyte.
  });
}

const HOST = /^([a-z0-9.-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?$/i;

/** The address in the reader's browser. An invalid host must not get into a command that people paste. */
function addressOf({ protocol, host }: FastifyRequest): string {
  return HOST.test(host) ? `${protocol}://${host}` : 'http://127.0.0.1:3000';
}
