import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { clientOf } from '../plugins/rate-limit.ts';
import type { TypedApp } from '../typed-app.ts';
import type { FormParts } from './parts.ts';

const CACHE = 'public, max-age=3600, stale-while-revalidate=86400';

/** In the order in which they need each other. */
const FILES = ['dom.js', 'proof-of-work.js', 'captcha-widget.js', 'share-parts.js', 'form-element.js'];

function read(name: string): string {
  return readFileSync(new URL(`./element/${name}`, import.meta.url), 'utf8');
}

/** Comments, imports and the space around signs are for readers and tools. Statements end with a semicolon. */
function compact(source: string): string {
  return source
    .split('\n')
    .map((line) => line.trim().replace(/^export | \/\/ .*/g, ''))
    .filter((line) => !/^($|\/\/|import |\/\*\*.*\*\/$)/.test(line))
    .join('\n')
    .replaceAll(/('[^']*'|`[^`]*`)|\s*([-=(){}[\],;:?<>+*&|!])\s*/g, '$1$2');
}

function compactStyle(source: string): string {
  return source
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/(?<=[{};:,]) | (?=\{)|; ?(?=\})|\b0(?=\.)/g, '')
    .replaceAll(/="(\w+)"/g, '=$1');
}

/** One classic script, which any page can load from another origin without further settings. */
function readScript() {
  const style = JSON.stringify(compactStyle(read('style.css')));
  const code = FILES.map((name) => compact(read(name))).join('\n');
  const source = `(() => {\n${code.replace("'style.css'", () => style)}\n})();\n`;
  return {
    source,
    encoded: { br: brotliCompressSync(source), gzip: gzipSync(source, { level: 9 }) },
    etag: `"${createHash('sha256').update(source).digest('base64url').slice(0, 22)}"`,
  };
}

/** The script of the web component, for any page. */
export function registerScript(app: TypedApp, { look }: FormParts): void {
  let script: ReturnType<typeof readScript> | undefined;
  const onRequest = async (request: FastifyRequest, reply: FastifyReply) =>
    look.take(clientOf(request), reply);
  app.get('/form.js', { schema: { hide: true }, onRequest }, async ({ headers }, reply) => {
    script ??= readScript();
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
