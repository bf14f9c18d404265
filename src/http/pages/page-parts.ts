import type { FastifyReply, FastifyRequest } from 'fastify';
import Type, { type TSchema } from 'typebox';
import { languageOf } from '../../languages/languages.ts';
import type { Context } from '../../waitlist/queue/context.ts';
import { LINK_TOKEN } from '../../wire/schema.ts';
import { clientOf, type RateLimiter } from '../plugins/rate-limit.ts';

export interface PageParts {
  context: Context;
  /** For what people do with their own data, so that the audit trail says so. */
  asPerson: Context;
  publicUrl: string;
  hasMailServer: boolean;
  /** Of the installation's emails. null if it sends none. */
  sender: string | null;
  /** Shared with the invite endpoints, because the pages do the same. */
  reading: RateLimiter;
  acting: RateLimiter;
}

const BODY_BYTES_MAX = 16 * 1024;

export const TokenParams = Type.Object({ token: Type.String(LINK_TOKEN) });

/** A page's route, which is not in the API reference. */
export function pageRoute<T extends TSchema>(limit: RateLimiter, params: T) {
  return {
    schema: { hide: true, params },
    bodyLimit: BODY_BYTES_MAX,
    onRequest: async (request: FastifyRequest, reply: FastifyReply) => limit.take(clientOf(request), reply),
  };
}

/** Whether the client is a backend and not a person. */
export function wantsJson({ headers }: FastifyRequest): boolean {
  return headers.accept?.startsWith('application/json') ?? false;
}

/** Keeps the chosen language when a form of the page is sent. */
export function inSameLanguage(request: FastifyRequest, url: string): string {
  const language = languageOf((request.query as { lang?: unknown }).lang);
  return language ? `${url}?lang=${language}` : url;
}
