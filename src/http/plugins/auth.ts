import type { FastifyInstance } from 'fastify';
import { DoorlistError } from '../../errors.ts';
import type { Context } from '../../waitlist/context.ts';
import type { KeyUsage } from '../../waitlist/key-usage.ts';
import { authenticate } from '../../waitlist/server-keys.ts';
import type { SdkParts } from '../sdk/parts.ts';
import { clientOf, type RateLimiter } from './rate-limit.ts';

export interface AuthParts {
  context: Context;
  keyUsage: KeyUsage;
  failures: RateLimiter;
  perKey: RateLimiter;
}

/** Only refused keys count against a client's address: a good key is always served. */
export function requireServerKey(app: FastifyInstance, parts: AuthParts): SdkParts['requireKey'] {
  const { context, keyUsage, failures, perKey } = parts;
  app.decorateRequest('serverKey');
  return async (request, reply) => {
    try {
      request.serverKey = await authenticate(context, request.headers.authorization);
    } catch (error) {
      if (error instanceof DoorlistError && error.code === 'unauthorized')
        failures.take(clientOf(request), reply);
      throw error;
    }
    perKey.take(Buffer.from(request.serverKey.id).toString('latin1'), reply);
    keyUsage.note(request.serverKey);
  };
}
