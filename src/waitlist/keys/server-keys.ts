import type { Trx } from '../../db/database.ts';
import { knownSharedNow, sharedNow } from '../../db/shared-clock.ts';
import { DoorlistError, invalid, notFound } from '../../errors.ts';
import { newId, parseId } from '../../ids.ts';
import { plainHash } from '../../vault/crypto.ts';
import { changeSettings } from '../queue/change-settings.ts';
import type { Context } from '../queue/context.ts';
import type { Queue, ServerKey } from '../queue/directory.ts';
import { isWaitlistId } from '../queue/directory.ts';
import { isServerKey, newServerKey } from './server-key-format.ts';

const PAGE = 1_000;

export interface KeySummary {
  id: Uint8Array;
  hint: string;
  /** null for a product key, which is valid for every waitlist. */
  waitlistId: string | null;
  environment: string;
  canRead: boolean;
  createdAt: number;
  expiresAt: number | null;
  revokedAt: number | null;
  lastUsedAt: number | null;
}

/** `key` is shown only once and stored as a hash. */
export type CreatedKey = KeySummary & { key: string };

export interface KeyInput {
  /** null for a product key. */
  waitlistId: string | null;
  environment: string;
  canRead: boolean;
  expiresAt: number | null;
}

export async function createKey(context: Context, input: KeyInput): Promise<CreatedKey> {
  return changeSettings(context, async (trx) => {
    const now = await sharedNow(context, trx);
    if (input.expiresAt !== null && input.expiresAt <= now)
      throw invalid('expires-at: must be in the future');
    const waitlist = await findWaitlist(trx, input.waitlistId);
    const environment = await trx
      .selectFrom('environment')
      .select('name')
      .where('name', '=', input.environment)
      .executeTakeFirst();
    if (!environment) throw notFound(`there is no environment ${input.environment}`);
    const canRead = input.canRead || waitlist === null; // Product keys can always read.
    return insertKey(trx, now, { ...input, canRead, waitlistInternalId: waitlist?.id ?? null });
  });
}

async function findWaitlist(trx: Trx, waitlistId: string | null): Promise<{ id: number } | null> {
  if (waitlistId === null) return null;
  const row = await trx
    .selectFrom('waitlist')
    .select('id')
    .where('public_id', '=', waitlistId)
    .executeTakeFirst();
  if (!row) throw notFound(`there is no waitlist ${waitlistId}`);
  return row;
}

async function insertKey(
  trx: Trx,
  now: number,
  input: KeyInput & { waitlistInternalId: number | null },
): Promise<CreatedKey> {
  const id = newId(now);
  const key = newServerKey(input.environment);
  await trx
    .insertInto('server_key')
    .values({
      id,
      hash: plainHash(`server key ${key}`),
      hint: key.slice(-4),
      waitlist_id: input.waitlistInternalId,
      environment: input.environment,
      can_read: input.canRead ? 1 : 0,
      created_at: now,
      expires_at: input.expiresAt,
      revoked_at: null,
      last_used_at: null,
    })
    .execute();
  return {
    id,
    key,
    hint: key.slice(-4),
    waitlistId: input.waitlistId,
    environment: input.environment,
    canRead: input.canRead,
    createdAt: now,
    expiresAt: input.expiresAt,
    revokedAt: null,
    lastUsedAt: null,
  };
}

/** Returns undefined if it cannot be a key, to save the lookup. */
const hashKey = (key: string) => (isServerKey(key) ? plainHash(`server key ${key}`) : undefined);

export async function listKeys({ db }: Context, after?: string): Promise<KeySummary[]> {
  const rows = await db.query
    .selectFrom('server_key as k')
    .leftJoin('waitlist as w', 'w.id', 'k.waitlist_id')
    .select(['k.id', 'k.hint', 'w.public_id', 'k.environment', 'k.can_read', 'k.created_at'])
    .select(['k.expires_at', 'k.revoked_at', 'k.last_used_at'])
    .where('k.id', '>', (after && parseId('key', after)) || Buffer.alloc(0))
    .orderBy('k.id')
    .limit(PAGE)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    hint: row.hint,
    waitlistId: row.public_id,
    environment: row.environment,
    canRead: row.can_read === 1,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    lastUsedAt: row.last_used_at,
  }));
}

export async function revokeKey(context: Context, keyId: string): Promise<void> {
  const id = requireKeyId(keyId);
  await changeSettings(context, async (trx) => {
    const { numUpdatedRows } = await trx
      .updateTable('server_key')
      .set({ revoked_at: context.clock() })
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw notFound(`there is no active key ${keyId}`);
  });
}

/** Creates a new key with the same permissions. The old one stays valid for `overlapMs`. */
export async function rotateKey(context: Context, keyId: string, overlapMs: number): Promise<CreatedKey> {
  const id = requireKeyId(keyId);
  return changeSettings(context, async (trx) => {
    const now = await sharedNow(context, trx);
    const old = await trx
      .selectFrom('server_key as k')
      .leftJoin('waitlist as w', 'w.id', 'k.waitlist_id')
      .select(['k.waitlist_id', 'w.public_id', 'k.environment', 'k.can_read', 'k.expires_at'])
      .where('k.id', '=', id)
      .where('k.revoked_at', 'is', null)
      .executeTakeFirst();
    if (!old || (old.expires_at !== null && old.expires_at <= now))
      throw notFound(`there is no active key ${keyId}`);
    await trx
      .updateTable('server_key')
      .set({ expires_at: Math.min(now + overlapMs, old.expires_at ?? Number.POSITIVE_INFINITY) })
      .where('id', '=', id)
      .execute();
    return insertKey(trx, now, {
      waitlistId: old.public_id,
      waitlistInternalId: old.waitlist_id,
      environment: old.environment,
      canRead: old.can_read === 1,
      expiresAt: null,
    });
  });
}

function requireKeyId(text: string): Buffer {
  const id = parseId('key', text);
  if (!id) throw invalid('key id: must look like key_…, as `key list` prints it');
  return id;
}

/** Returns undefined if the key does not exist, has expired or was revoked. */
export async function findLiveKey(context: Context, text: string): Promise<ServerKey | undefined> {
  const key = await context.directory.key(text, hashKey);
  return key && (key.expiresAt === null || key.expiresAt > knownSharedNow(context)) ? key : undefined;
}

/** Does not reveal whether a waitlist is missing or just not covered by the key. */
export async function queueForKey(
  { directory }: Context,
  key: ServerKey,
  waitlistId: string,
): Promise<Queue> {
  // Skip what cannot be an id: PostgreSQL rejects NUL in text.
  const queue = isWaitlistId(waitlistId) ? await directory.queue(waitlistId, key.environment) : undefined;
  const covered =
    queue && (key.waitlistInternalId === null || key.waitlistInternalId === queue.waitlist.internalId);
  if (!covered) throw notFound('there is no such waitlist');
  return queue;
}

export function requireRead(key: ServerKey): void {
  if (!key.canRead)
    throw new DoorlistError('forbidden', 'this server key does not have the waitlist:read grant');
}
