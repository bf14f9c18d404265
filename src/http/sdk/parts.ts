import type { onRequestHookHandler } from 'fastify';
import type { FewAtOnce } from '../../lib/few-at-once.ts';
import type { Context } from '../../waitlist/queue/context.ts';
import type { Signups } from '../../waitlist/signup/signup.ts';
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
