import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OperationParts } from '../../../operations/core/parts.ts';
import { operatorOfDevice } from '../../../operators/devices.ts';
import { findLink } from '../../../operators/links.ts';
import type { SignedIn } from '../../../operators/open-session.ts';
import type { Operator } from '../../../operators/operator.ts';
import type { Actor } from '../../../operators/roles.ts';
import { isSetupToken } from '../../../operators/setup.ts';
import type { SignInParts } from '../../../operators/sign-in.ts';
import type { AdminToken } from '../../../operators/tokens.ts';
import { clientOf, type RateLimiter } from '../../plugins/rate-limit.ts';
import type { UploadLimits } from '../../plugins/upload.ts';
import type { Cookies } from './cookies.ts';
import type { StreamHub } from './stream-hub.ts';

export interface AdminParts extends SignInParts, OperationParts {
  cookies: Cookies;
  /** Counts rejected tokens and sessions, and sign-in attempts, per client address. */
  failures: RateLimiter;
  signIns: RateLimiter;
  streams: StreamHub;
  uploads: UploadLimits;
}

/** A person with a session, or a token. */
export type Caller = { actor: Actor } & (
  | { operator: Operator; sessionId: string; token?: never }
  | { token: AdminToken; operator?: never; sessionId?: never }
);

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller;
  }
}

type Person = Extract<Caller, { operator: Operator }>;

/** For routes with `person`, which the hook has already checked. */
export function personOf({ caller }: FastifyRequest): Person {
  return caller as Person;
}

export function clientDetails(request: FastifyRequest) {
  return { address: clientOf(request), agent: request.headers['user-agent'] ?? '' };
}

export function startSession({ cookies, limits }: AdminParts, reply: FastifyReply, signedIn: SignedIn): void {
  cookies.setSession(reply, signedIn.secret, Math.floor(limits.lifetimeMs / 1_000));
  cookies.setDevice(reply, signedIn.device);
}

/**
 * Counts an attempt to sign in or to use a one-time link. Strangers share the limit of their address; a browser that
 * has signed in before counts for its operator and a usable link for itself, so that nobody can lock them out.
 */
export async function takeSignIn(
  { context, cookies, signIns }: Pick<AdminParts, 'context' | 'cookies' | 'signIns'>,
  request: FastifyRequest,
  reply: FastifyReply,
  linkToken?: string,
): Promise<void> {
  const operator = await operatorOfDevice(context, cookies.read(request).device);
  if (operator !== undefined) return signIns.take(`operator ${operator}`, reply);
  if (linkToken !== undefined && (await isUsable(context, linkToken)))
    return signIns.take(`link ${linkToken}`, reply);
  signIns.take(clientOf(request), reply);
}

async function isUsable(context: AdminParts['context'], token: string): Promise<boolean> {
  return (await findLink(context, token)) !== undefined || isSetupToken(context, token);
}
