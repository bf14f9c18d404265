import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { DoorlistError } from '../../errors.ts';
import type { KeyUsage } from '../../waitlist/keys/key-usage.ts';
import { findLiveKey } from '../../waitlist/keys/server-keys.ts';
import type { Context } from '../../waitlist/queue/context.ts';
import type { ServerKey } from '../../waitlist/queue/directory.ts';
import { clientOf, type RateLimiter } from './rate-limit.ts';

declare module 'fastify' {
  interface FastifyRequest {
    serverKey: ServerKey;
  }
}

export interface AuthParts {
  context: Context;
  keyUsage: KeyUsage;
  failures: RateLimiter;
  perKey: RateLimiter;
}

/** The same message for every problem with a key. */
const KEY_NEEDED = 'a valid server key is required: send it as Authorization: Bearer <key>';

/** Only rejected keys count against a client's address. A valid key is always served. */
export function requireServerKey(app: FastifyInstance, parts: AuthParts): onRequestHookHandler {
  const { context, keyUsage, failures, perKey } = parts;
  app.decorateRequest('serverKey');
  const admit = (request: FastifyRequest, reply: FastifyReply, key: ServerKey | undefined): void => {
    if (!key) throw new DoorlistError('unauthorized', KEY_NEEDED);
    perKey.take(key.publicId, reply);
    request.serverKey = key;
    keyUsage.note(key);
  };
  const refusal = (request: FastifyRequest, reply: FastifyReply, error: Error): Error => {
    try {
      if (error instanceof DoorlistError && error.code === 'unauthorized')
        failures.take(clientOf(request), reply);
      return error;
    } catch (limited) {
      return limited as Error;
    }
  };
  return (request, reply, next) => {
    try {
      const token = bearerToken(request);
      const found = token === undefined ? undefined : findLiveKey(context, token);
      if (found instanceof Promise) {
        found
          .then((key) => admit(request, reply, key))
          .then(
            () => next(),
            (error: Error) => next(refusal(request, reply, error)),
          );
        return;
      }
      admit(request, reply, found);
    } catch (error) {
      next(refusal(request, reply, error as Error));
      return;
    }
    next();
  };
}

function bearerToken({ headers }: FastifyRequest): string | undefined {
  return /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
}
