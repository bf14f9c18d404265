import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { clientOf } from '../plugins/rate-limit.ts';
import type { TypedApp } from '../typed-app.ts';
import type { FormParts } from './parts.ts';

const CACHE = 'public, max-age=3600, stale-while-revalidate=86400';

/** The first is built from `web/form` by `npm run form:build`. */
const SCRIPTS = { '/form.js': './form-script.js', '/status.js': './status-script.js' };

function readScript(file: string) {
  const source = readFileSync(new URL(file, import.meta.url), 'utf8');
  return {
    source,
    encoded: { br: brotliCompressSync(source), gzip: gzipSync(source, { level: 9 }) },
    etag: `"${createHash('sha256').update(source).digest('base64url').slice(0, 22)}"`,
  };
}

/** The script of the web component, for any page, and that of the status page. */
export function registerScripts(app: TypedApp, parts: FormParts): void {
  for (const [path, file] of Object.entries(SCRIPTS)) registerScript(app, parts, path, file);
}

function registerScript(app: TypedApp, { reading }: FormParts, path: string, file: string): void {
  let script: ReturnType<typeof readScript> | undefined;
  const onRequest = async (request: FastifyRequest, reply: FastifyReply) =>
    reading.take(clientOf(request), reply);
  app.get(path, { schema: { hide: true }, onRequest }, async ({ headers }, reply) => {
    script ??= readScript(file);
    const { source, encoded, etag } = script;
    reply
      .headers({
        'content-type': 'text/javascript; charset=utf-8',
        'cache-control': CACHE,
        etag,
        vary: 'accept-encoding',
        'access-control-allow-origin': '*',
        'cross-origin-resource-policy': 'cross-origin',
      })
      .serializer((body: string) => body);
    if (headers['if-none-match'] === etag) return reply.code(304).send();
    const accepted = headers['accept-encoding'] ?? '';
    const encoding = /\bbr\b/.test(accepted) ? 'br' : /\bgzip\b/.test(accepted) ? 'gzip' : undefined;
    if (!encoding) return reply.send(source);
    return reply.header('content-encoding', encoding).send(encoded[encoding]);
  });
}
