import type { Trx } from '../../db/database.ts';
import { sharedNow } from '../../db/shared-clock.ts';
import { invalid, notFound } from '../../lib/errors.ts';
import { formatId, newId, parseId } from '../../lib/ids.ts';
import { readName } from '../../lib/text.ts';
import { DURATION_MAX_MS } from '../../lib/time.ts';
import { changeSettings } from '../queue/change-settings.ts';
import type { Context } from '../queue/context.ts';
import { hashOf } from './find-key.ts';
import { type KeyScope, type KeySummary, keySummary, selectKeys } from './list-keys.ts';
import { newServerKey } from './server-key-format.ts';

const NAME_CHARACTERS_MAX = 100;

/** `key` is shown only once and stored as a hash. */
export type CreatedKey = KeySummary & { key: string };

interface KeyInput extends KeyScope {
  name?: string | undefined;
  canRead: boolean;
  expiresAt: number | null;
}

export async function createKey(context: Context, input: KeyInput): Promise<CreatedKey> {
  const name = readName(input.name ?? '', { least: 0, most: NAME_CHARACTERS_MAX });
  return changeSettings(context, async (trx) => {
    const now = await sharedNow(context, trx);
    if (input.expiresAt !== null && input.expiresAt <= now) throw invalid('expiresAt: must be in the future');
    const waitlist = await findWaitlist(trx, input.waitlistId);
    const environment = await trx
      .selectFrom('environment')
      .select('name')
      .where('name', '=', input.environment)
      .executeTakeFirst();
    if (!environment) throw notFound(`there is no environment ${input.environment}`);
    const canRead = input.canRead || waitlist === null; // Product keys can always read.
    const created = await insertKey(trx, now, {
      ...input,
      name,
      canRead,
      waitlistInternalId: waitlist?.id ?? null,
    });
    const { waitlistId, environment: of, expiresAt } = created;
    await context.audit?.(trx, {
      action: 'key.created',
      object: objectOf(created),
      after: { name, waitlistId, environment: of, canRead, expiresAt },
    });
    return created;
  });
}

async function findWaitlist(trx: Trx, waitlistId: string | null): Promise<{ id: number } | null> {
  if (waitlistId === null) return null;
  const row = await trx
    .selectFrom('waitlist')
    .select('id')
    .where('public_id', '=', waitlistId)
    .where('deleted_at', 'is', null)
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
  const name = input.name ?? '';
  await trx
    .insertInto('server_key')
    .values({
      id,
      hash: hashOf(key),
      hint: key.slice(-4),
      label: name,
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
    name,
    waitlistId: input.waitlistId,
    environment: input.environment,
    canRead: input.canRead,
    createdAt: now,
    expiresAt: input.expiresAt,
    revokedAt: null,
    lastUsedAt: null,
  };
}

/** The key stops working immediately. With a scope, only a key in it. */
export async function revokeKey(context: Context, keyId: string, scope?: KeyScope): Promise<void> {
  await changeSettings(context, async (trx) => {
    const now = await sharedNow(context, trx);
    const { id, summary } = await requireActive(trx, keyId, now, scope);
    await trx.updateTable('server_key').set({ revoked_at: now }).where('id', '=', id).execute();
    await context.audit?.(trx, { action: 'key.revoked', object: objectOf(summary) });
  });
}

/** Creates a new key with the same permissions. The old one stays valid for `overlapMs`. */
export async function rotateKey(
  context: Context,
  keyId: string,
  overlapMs: number,
  scope?: KeyScope,
): Promise<CreatedKey> {
  if (!Number.isInteger(overlapMs) || overlapMs < 0 || overlapMs > DURATION_MAX_MS)
    throw invalid('overlapMs: must be a whole number from 0 to 36500 days');
  return changeSettings(context, async (trx) => {
    const now = await sharedNow(context, trx);
    const { id, waitlistInternalId, summary } = await requireActive(trx, keyId, now, scope);
    const oldEnds = Math.min(now + overlapMs, summary.expiresAt ?? Number.POSITIVE_INFINITY);
    await trx.updateTable('server_key').set({ expires_at: oldEnds }).where('id', '=', id).execute();
    const created = await insertKey(trx, now, { ...summary, waitlistInternalId, expiresAt: null });
    await context.audit?.(trx, {
      action: 'key.rotated',
      object: objectOf(summary),
      before: { expiresAt: summary.expiresAt },
      after: { expiresAt: oldEnds, replacedBy: formatId('key', created.id) },
    });
    return created;
  });
}

async function requireActive(trx: Trx, keyId: string, now: number, scope: KeyScope | undefined) {
  const id = parseId('key', keyId);
  const row =
    id &&
    (await selectKeys(trx, scope)
      .where('k.id', '=', id)
      .where('k.revoked_at', 'is', null)
      .executeTakeFirst());
  if (!row || (row.expires_at !== null && row.expires_at <= now))
    throw notFound(`there is no active key ${keyId}`);
  return { id, waitlistInternalId: row.waitlist_id, summary: keySummary(row) };
}

function objectOf({ id, hint, name }: KeySummary) {
  return { kind: 'key', id: formatId('key', id), name: name === '' ? `…${hint}` : name } as const;
}
