import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DoorlistError } from '../../lib/errors.ts';
import type { HookKey } from '../../waitlist/keys/find-hook-key.ts';
import { findLiveKey, type ServerKey } from '../../waitlist/keys/find-key.ts';
import type { HookKeys } from '../../waitlist/keys/hook-keys.ts';
import type { KeyUsage } from '../../waitlist/keys/key-usage.ts';
import type { Context } from '../../waitlist/queue/context.ts';
import { clientOf, type RateLimiter } from './rate-limit.ts';

declare module 'fastify' {
  interface FastifyRequest {
    serverKey: ServerKey;
  }
}

interface AuthParts {
  context: Context;
  keyUsage: KeyUsage;
  failures: RateLimiter;
  perKey: RateLimiter;
}

/** The same message for every problem with a key. */
const KEY_NEEDED = 'a valid server key is required: send it as Authorization: Bearer <key>';

/** Only rejected keys count against a client's address. A valid key is always served. */
export function requireServerKey(
  app: FastifyInstance,
  parts: AuthParts,
): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  const { context, keyUsage, failures, perKey } = parts;
  app.decorateRequest('serverKey');
  return async (request, reply) => {
    const token = bearerToken(request);
    const key = token === undefined ? undefined : await findLiveKey(context, token);
    if (!key) {
      failures.take(clientOf(request), reply);
      throw new DoorlistError('unauthorized', KEY_NEEDED);
    }
    perKey.take(key.publicId, reply);
    request.serverKey = key;
    keyUsage.note(key);
  };
}

function bearerToken({ headers }: FastifyRequest): string | undefined {
  return /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The key in the URL, for the gate and for mail events. */
    hookKey?: HookKey;
    /** The body of a request with a hook key, as it was signed. */
    signedBody?: Buffer;
  }
}

export interface HookParts {
  context: Context;
  keyUsage: KeyUsage;
  failures: RateLimiter;
  perKey: RateLimiter;
}

/** Finds the key that a URL contains. Throws `unauthorized`, and counts failures by address. */
export async function requireHookKey(
  { context, keyUsage, failures, perKey }: HookParts,
  keys: Pick<HookKeys<'gat' | 'mek'>, 'find'>,
  text: string,
  needed: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const key = await keys.find(context, text);
  if (!key) {
    failures.take(clientOf(request), reply);
    throw new DoorlistError('unauthorized', needed);
  }
  request.hookKey = key;
  perKey.take(`${key.table} ${Buffer.from(key.id).toString('hex')}`, reply);
  keyUsage.note(key);
}

export function hookKeyOf({ hookKey }: FastifyRequest): HookKey {
  if (!hookKey) throw new Error('the route does not require a hook key');
  return hookKey;
}
