import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { notFound } from '../../lib/errors.ts';
import { isWaitlistId } from '../../waitlist/queue/queue.ts';
import { findPicture } from '../../waitlist/settings/pictures.ts';
import { WORD } from '../../wire/schema.ts';
import { clientOf } from '../plugins/rate-limit.ts';
import type { TypedApp } from '../typed-app.ts';
import type { FormParts } from './form-parts.ts';

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

const Params = Type.Object({ waitlistId: Type.String(WORD), name: Type.String(WORD) });
const NAME = /^([0-9a-f]{32})\.(?:png|jpg|webp)$/;

const HEADERS = {
  // Its address contains a hash of its content.
  'cache-control': 'public, max-age=31536000, immutable',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  // For emails, and for sites that show a link.
  'cross-origin-resource-policy': 'cross-origin',
};

/** Pictures that operators uploaded. */
export function registerPictures(app: TypedApp, { context, reading }: FormParts): void {
  const route = {
    schema: { hide: true, params: Params },
    onRequest: async (request: FastifyRequest, reply: FastifyReply) => reading.take(clientOf(request), reply),
  };
  app.get('/w/:waitlistId/pictures/:name', route, async ({ params, headers }, reply) => {
    const { waitlistId, name } = params;
    const [, digest] = NAME.exec(name) ?? [];
    const queue =
      digest !== undefined && isWaitlistId(waitlistId)
        ? await context.registry.queue(waitlistId, 'production')
        : undefined;
    const picture = queue && digest && (await findPicture(context, queue.waitlist, digest));
    if (!picture) throw notFound('there is no such picture');
    const etag = `"${digest}"`;
    reply.headers({ ...HEADERS, etag });
    if (headers['if-none-match'] === etag) return reply.code(304).send();
    return reply.type(picture.type).send(Buffer.from(picture.content));
  });
}
