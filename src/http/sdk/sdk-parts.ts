import type { onRequestHookHandler } from 'fastify';
import Type from 'typebox';
import { invalid } from '../../lib/errors.ts';
import type { FewAtOnce } from '../../lib/few-at-once.ts';
import type { Context } from '../../waitlist/queue/context.ts';
import type { Signups } from '../../waitlist/signup/signup.ts';
import { limits } from '../../wire/schema.ts';
import type { ReadBody } from '../plugins/body-reader.ts';
import type { RateLimiter } from '../plugins/rate-limit.ts';

export interface SdkParts {
  context: Context;
  signups: Signups;
  /** Rejects requests without a valid server key. Afterwards, `request.serverKey` is set. */
  requireKey: onRequestHookHandler;
  /** For links that people open. */
  publicUrl: string;
  readBody: ReadBody;
  /** Waits for the turn of the caller to get a page. */
  pageTurn: FewAtOnce;
  limits: { inviteCheck: RateLimiter; inviteAccept: RateLimiter; verify: RateLimiter };
}

/** For `headers` of every route that redeems an invite. */
export const idempotencyHeaders = {
  'idempotency-key': Type.Optional(
    Type.String({
      ...limits({ minLength: 1, maxLength: 255, pattern: '^[ -~]+$' }),
      description: 'A unique value you choose, such as a UUID. Printable ASCII characters only.',
      examples: ['4f6b1c1e-9f0a-4c2f-8a53-0d5f5d3c7b21'],
    }),
  ),
};

export function readIdempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header === 'string' && /^[\x20-\x7e]{1,255}$/.test(header)) return header;
  throw invalid('Idempotency-Key: must be 1 to 255 printable ASCII characters');
}
