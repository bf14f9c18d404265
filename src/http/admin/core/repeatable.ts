import { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { referenceTo } from '../../../operators/roles.ts';
import { onlyOnce } from '../../../waitlist/requests/only-once.ts';
import type { KeyedRequest } from '../../../waitlist/requests/repeated-requests.ts';
import { digestUpload } from '../../plugins/upload.ts';
import { readIdempotencyKey } from '../../sdk/sdk-parts.ts';
import type { AdminParts } from './admin-parts.ts';
import { heldParts } from './held-parts.ts';
import { type AddRoutes, type Handler, handlersFor } from './routes-for.ts';
import { queueOfRequest } from './waitlist-scope.ts';

export interface RouteParts {
  parts: AdminParts;
  addRoutes: AddRoutes;
  method: string;
  /** As the route was added. */
  path: string;
}

interface Answer {
  status: number;
  body: unknown;
}

/** The same handler. With an `Idempotency-Key`, what it does and answers is done once and kept for a day. */
export function repeatable(handler: Handler, { parts, addRoutes, method, path }: RouteParts): Handler {
  return async (request, reply) => {
    const key = readIdempotencyKey(request.headers['idempotency-key']);
    if (key === undefined) return handler(request, reply);
    const keyed = await keyedRequest(parts, request, key);
    const { answer, isRepeated } = await onlyOnce<Answer>(parts.waitlists, keyed, async (held) => {
      const handlerOf = await handlersFor(addRoutes, heldParts(parts, held));
      const body = await handlerOf(method, path)(request, reply);
      return { status: reply.statusCode, body };
    });
    if (isRepeated) reply.header('idempotent-replayed', 'true');
    reply.code(answer.status);
    return answer.body;
  };
}

async function keyedRequest(parts: AdminParts, request: FastifyRequest, key: string): Promise<KeyedRequest> {
  const { params, query, body, caller } = request;
  const { operationId = '' } = request.routeOptions.schema as { operationId?: string };
  const { waitlistId } = params as { waitlistId?: string };
  const queue =
    waitlistId === undefined ? undefined : await queueOfRequest(parts, { waitlistId }, query as object);
  const withBody = (read: () => unknown) => () => ({ params, query, body: read() });
  return {
    ...(queue ? { queueId: queue.id, vault: queue.vault } : { vault: parts.context.vault }),
    actor: referenceTo(caller.actor),
    operation: operationId,
    key,
    ...(body instanceof IncomingMessage
      ? { arrivesLater: true, content: withBody(digestUpload(body)) }
      : { content: withBody(() => body) }),
  };
}
