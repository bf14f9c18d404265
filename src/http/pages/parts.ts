import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../../waitlist/queue/context.ts';
import { clientOf, type RateLimiter } from '../plugins/rate-limit.ts';

export interface PageParts {
  context: Context;
  /** The limits of the invite endpoints: a page is another way to the same. */
  look: RateLimiter;
  act: RateLimiter;
}

const BODY_BYTES_MAX = 16 * 1024;

export function pageRoute(limit: RateLimiter) {
  return {
    schema: { hide: true } as object,
    bodyLimit: BODY_BYTES_MAX,
    onRequest: async (request: FastifyRequest, reply: FastifyReply) => limit.take(clientOf(request), reply),
  };
}

/** A backend, that is, and not a person. */
export function wantsJson({ headers }: FastifyRequest): boolean {
  return headers.accept?.startsWith('application/json') ?? false;
}

export function tokenOf(request: FastifyRequest): string {
  return (request.params as { token: string }).token;
}
