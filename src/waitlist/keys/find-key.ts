import { knownSharedNow } from '../../db/shared-clock.ts';
import { DoorlistError, notFound } from '../../lib/errors.ts';
import { formatId } from '../../lib/ids.ts';
import { plainHash } from '../../vault/crypto.ts';
import type { Context } from '../queue/context.ts';
import { isWaitlistId, type Queue } from '../queue/queue.ts';
import { isServerKey } from './server-key-format.ts';

export interface ServerKey {
  readonly id: Uint8Array;
  readonly publicId: string;
  /** null for every waitlist. */
  readonly waitlistInternalId: number | null;
  readonly environment: string;
  readonly canRead: boolean;
  readonly expiresAt: number | null;
}

/** As it is stored. */
export function hashOf(key: string): Buffer {
  return plainHash(`server key ${key}`);
}

/** Returns undefined if the key does not exist, has expired or was revoked. */
export async function findLiveKey(context: Context, text: string): Promise<ServerKey | undefined> {
  const key = await context.registry.cached('key', text, () => readKey(context, text));
  return key && (key.expiresAt === null || key.expiresAt > knownSharedNow(context)) ? key : undefined;
}

async function readKey({ db }: Context, text: string): Promise<ServerKey | undefined> {
  if (!isServerKey(text)) return undefined; // Saves the lookup.
  const row = await db.query
    .selectFrom('server_key')
    .select(['id', 'waitlist_id', 'environment', 'can_read', 'expires_at'])
    .where('hash', '=', hashOf(text))
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return (
    row && {
      id: row.id,
      publicId: formatId('key', row.id),
      waitlistInternalId: row.waitlist_id,
      environment: row.environment,
      canRead: row.can_read === 1,
      expiresAt: row.expires_at,
    }
  );
}

/** Does not reveal whether a waitlist is missing or just not covered by the key. */
export async function queueForKey({ registry }: Context, key: ServerKey, waitlistId: string): Promise<Queue> {
  // Skip what cannot be an id: PostgreSQL rejects NUL in text.
  const queue = isWaitlistId(waitlistId) ? await registry.queue(waitlistId, key.environment) : undefined;
  const covered =
    queue && (key.waitlistInternalId === null || key.waitlistInternalId === queue.waitlist.internalId);
  if (!covered) throw notFound('there is no such waitlist');
  return queue;
}

export function requireRead(key: ServerKey): void {
  if (!key.canRead)
    throw new DoorlistError('forbidden', 'this server key does not have the waitlist:read grant');
}
