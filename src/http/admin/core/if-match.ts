import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { sql } from 'kysely';
import type { Trx } from '../../../db/database.ts';
import { DoorlistError, invalid } from '../../../lib/errors.ts';
import type { SettingsOfOperation } from '../../../operations/core/operation.ts';
import { requireQueue } from '../../../waitlist/queue/registry.ts';
import { type HeldContext, inOneTransaction } from '../../../waitlist/requests/only-once.ts';
import { heldParts } from './held-parts.ts';
import type { RouteParts } from './repeatable.ts';
import { type Handler, handlersFor } from './routes-for.ts';

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
