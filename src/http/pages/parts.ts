import type { FastifyReply, FastifyRequest } from 'fastify';
import Type, { type TSchema } from 'typebox';
import type { Context } from '../../waitlist/queue/context.ts';
import { clientOf, type RateLimiter } from '../plugins/rate-limit.ts';

export interface PageParts {
  context: Context;
  /** The limits of the invite endpoints: a page is another way to the same. */
  look: RateLimiter;
  act: RateLimiter;
}

const BODY_BYTES_MAX = 16 * 1024;

export const TokenParams = Type.Object({ token: Type.String() });

/** A route of a page, which no API reference shows. */
export function pageRoute<T extends TSchema>(limit: RateLimiter, params: T) {
  return {
    schema: { hide: true, params },
    bodyLimit: BODY_BYTES_MAX,
    onRequest: async (request: FastifyRequest, reply: FastifyReply) => limit.take(clientOf(request), reply),
  };
}

/** A backend, that is, and not a person. */
export function wantsJson({ headers }: FastifyRequest): boolean {
  return headers.accept?.startsWith('application/json') ?? false;
}
