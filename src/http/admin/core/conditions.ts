import { createHash } from 'node:crypto';
import { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { sql } from 'kysely';
import type { Trx } from '../../../db/database.ts';
import { DoorlistError, invalid } from '../../../lib/errors.ts';
import type { SettingsOfOperation } from '../../../operations/core/operation.ts';
import type { OperatorContext } from '../../../operators/context.ts';
import type { RecordReading } from '../../../operators/recorded-reads.ts';
import { referenceTo } from '../../../operators/roles.ts';
import { requireQueue } from '../../../waitlist/queue/registry.ts';
import { type HeldContext, inOneTransaction, onlyOnce } from '../../../waitlist/requests/only-once.ts';
import type { KeyedRequest } from '../../../waitlist/requests/repeated-requests.ts';
import { digestUpload } from '../../plugins/upload.ts';
import { readIdempotencyKey } from '../../sdk/sdk-parts.ts';
import type { AdminParts } from './admin-parts.ts';
import { type AdminSchema, takesKey, withKey } from './operation.ts';
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

/** The same parts, which change and read in the transaction of a request. */
export function heldParts(parts: AdminParts, held: HeldContext): AdminParts {
  const { notices, ...rest } = parts.context;
  const context: OperatorContext = {
    ...rest,
    db: held.db,
    ...(notices ? { notices: { ...notices, wake: () => held.held.afterCommit(notices.wake) } } : {}),
  };
  // Never within the change: the end of the audit trail is locked last.
  const recordReading: RecordReading = async (...reading) => {
    const record = () => parts.recordReading(...reading);
    if (held.held.hasBegun) held.held.afterCommit(record);
    else await record();
  };
  return { ...parts, waitlists: held, context, recordReading };
}

/** What can be changed at a path. */
export interface Changeable extends SettingsOfOperation {
  fields: readonly string[];
}

/** The same handler, whose answer has the ETag of the settings in it. */
export function tagged(handler: Handler, changeable: () => Changeable | undefined): Handler {
  return async (request, reply) => {
    const answer = await handler(request, reply);
    const known = changeable();
    if (known) reply.header('etag', tagOf(known, answer));
    return answer;
  };
}

/** The same handler. With `If-Match`, it changes the settings only if they are still those with that ETag. */
export function ifMatch(handler: Handler, route: RouteParts & { changeable: () => Changeable }): Handler {
  const { parts, addRoutes, method, path } = route;
  return async (request, reply) => {
    const wanted = readTags(request.headers['if-match']);
    if (!wanted) return handler(request, reply);
    const changeable = route.changeable();
    return parts.waitlists.db.repeat(() => {
      const handlersOf = (held: HeldContext) => handlersFor(addRoutes, heldParts(parts, held));
      const compare = async (trx: Trx, held: HeldContext) => {
        await lock(trx, changeable, held, request);
        held.registry.recheck();
        const show = (await handlersOf(held))('GET', path);
        if (!wanted.includes(tagOf(changeable, await show(request, reply))))
          throw new DoorlistError(
            'changed_meanwhile',
            'If-Match: somebody else has changed this meanwhile; read it again',
          );
      };
      return inOneTransaction(parts.waitlists, { first: compare, isChange: true }, async (held) =>
        (await handlersOf(held))(method, path)(request, reply),
      );
    });
  };
}

/** Until the commit, nobody else changes the settings. */
async function lock(
  trx: Trx,
  changeable: Changeable,
  held: HeldContext,
  { params, query }: FastifyRequest,
): Promise<void> {
  if (changeable.lock === 'installation') {
    await trx.updateTable('instance').set({ id: sql`id` }).execute();
    return;
  }
  const { waitlistId } = params as { waitlistId: string };
  const { environment } = (query ?? {}) as { environment?: string };
  const { id } = await requireQueue(held, waitlistId, environment);
  await trx.updateTable('queue_state').set({ last_seq: sql`last_seq` }).where('queue_id', '=', id).execute();
}

function tagOf({ fields, besides = () => ({}) }: Changeable, answer: unknown): string {
  const shown = { ...(answer as Record<string, unknown>) };
  Object.assign(shown, besides(shown));
  const content = fields.map((name) => shown[name] ?? null);
  return `"${createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, 22)}"`;
}

const ETAG = /^(?:W\/)?("[\x21\x23-\x7e]*")$/;

/** A proxy that compresses makes a tag weak. */
function readTags(header: string | undefined): readonly string[] | undefined {
  if (header === undefined || header.trim() === '*') return undefined;
  return header.split(',').map((one) => {
    const [, tag] = ETAG.exec(one.trim()) ?? [];
    if (tag === undefined)
      throw invalid('If-Match: must be an ETag in quotes, such as "Zk3vQ0p8uVd1mXyT5cRwNg"');
    return tag;
  });
}

/**
 * Lets every POST that is not harmless take an `Idempotency-Key`, and gives settings an ETag for `If-Match`. Call it before
 * adding the routes, with the function that adds them.
 */
export function takeConditions(app: FastifyInstance, parts: AdminParts, addRoutes: AddRoutes): void {
  const changeable = new Map<string, Changeable>();
  app.addHook('onRoute', (route) => {
    const { method, routePath: path } = route;
    const schema = route.schema as unknown as AdminSchema;
    if (typeof method !== 'string') return;
    const handler = route.handler as unknown as Handler;
    const inParts = { parts, addRoutes, method, path };
    let conditional = handler;
    if (method === 'POST' && takesKey(schema)) {
      route.schema = withKey(route.schema ?? {});
      conditional = repeatable(handler, inParts);
    }
    if (schema.settings) {
      const fields = Object.keys(schema.body?.properties ?? {});
      if (fields.length > 0) changeable.set(path, { ...schema.settings, fields });
      const settings = () => changeable.get(path) as Changeable;
      conditional = tagged(ifMatch(handler, { ...inParts, changeable: settings }), settings);
    }
    if (schema.showsSettings) conditional = tagged(handler, () => changeable.get(path));
    route.handler = conditional as unknown as typeof route.handler;
  });
}
