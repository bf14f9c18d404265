import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Document } from '../docs/document.ts';
import { CONTENT_SECURITY_POLICY, type Related, renderPage } from '../docs/reference-page.ts';

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
  /** The pages of the documentation, to link to. */
  guides?: () => readonly Related[];
}

/** An HTML API reference, generated from the OpenAPI document. */
export function registerDocs(
  app: FastifyInstance,
  { path, source, document, base = '', related, guides = () => [] }: Reference,
): void {
  let render: ReturnType<typeof renderPage> | undefined;
  app.get(path, { schema: { hide: true } as object }, async (request, reply) => {
    render ??= renderPage(document(), {
      source: base + source,
      related: related && { ...related, path: base + related.path },
      guides: guides(),
    });
    return sendPage(request, reply, {
      page: render(originOf(request) + base),
      policy: CONTENT_SECURITY_POLICY,
    });
  });
}

/** Compressed, because the reference of the admin API is nearly a megabyte. */
export async function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { page, policy }: { page: string; policy: string },
): Promise<string | Buffer> {
  reply
    .type('text/html; charset=utf-8')
    .headers({ 'content-security-policy': policy, 'referrer-policy': 'no-referrer', vary: 'accept-encoding' })
    .serializer((content: string | Buffer) => content as string);
  if (!/\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))) return page;
  reply.header('content-encoding', 'gzip');
  return compress(page);
}

const HOST = /^([a-z0-9.-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?$/i;

/** The address in the reader's browser. An invalid host must not get into a command that people paste. */
export function originOf({ protocol, host }: FastifyRequest): string {
  return HOST.test(host) ? `${protocol}://${host}` : 'http://127.0.0.1:3000';
}
