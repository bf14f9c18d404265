import type { onRequestHookHandler } from 'fastify';
import type { Context } from '../../waitlist/queue/context.ts';
import type { Signups } from '../../waitlist/signup/signup.ts';
import type { ReadBody } from '../plugins/body-reader.ts';
import type { RateLimiter } from '../plugins/rate-limit.ts';

/** What the public endpoints are built from. */
export interface SdkParts {
  context: Context;
  signups: Signups;
  /** Refuses a request without a valid server key; afterwards `request.serverKey` is set. */
  requireKey: onRequestHookHandler;
  readBody: ReadBody;
  limits: { inviteCheck: RateLimiter; inviteAccept: RateLimiter; verify: RateLimiter };
}
