import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { notFound } from '../../lib/errors.ts';
import { isWaitlistId } from '../../waitlist/queue/queue.ts';
import { findPicture } from '../../waitlist/settings/pictures.ts';
import { WORD } from '../../wire/schema.ts';
import { clientOf } from '../plugins/rate-limit.ts';
import type { TypedApp } from '../typed-app.ts';
import type { FormParts } from './parts.ts';

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
