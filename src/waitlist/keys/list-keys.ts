import type { Kysely } from 'kysely';
import type { Tables } from '../../db/tables.ts';
import { parseId } from '../../lib/ids.ts';
import type { Context } from '../queue/context.ts';

const PAGE = 1_000;

export interface KeySummary {
  id: Uint8Array;
  hint: string;
  /** What operators call it. May be empty. */
  name: string;
  /** null for a product key, which is valid for every waitlist. */
  waitlistId: string | null;
  environment: string;
  canRead: boolean;
  createdAt: number;
  expiresAt: number | null;
  revokedAt: number | null;
  lastUsedAt: number | null;
}

/** The keys of one waitlist in one environment. `waitlistId` is null for product keys. */
export interface KeyScope {
  waitlistId: string | null;
  environment: string;
}

/** Returns a page of keys in the order of their creation: those after `after` (key_…), of one scope or of all. */
export async function listKeys(
  { db }: Context,
  which: { after?: string | undefined; scope?: KeyScope; limit?: number } = {},
): Promise<KeySummary[]> {
  const { after, scope, limit = PAGE } = which;
  const rows = await selectKeys(db.query, scope)
    .where('k.id', '>', (after && parseId('key', after)) || Buffer.alloc(0))
    .orderBy('k.id')
    .limit(limit)
    .execute();
  return rows.map(keySummary);
}

export function selectKeys(query: Kysely<Tables>, scope?: KeyScope) {
  const all = query
    .selectFrom('server_key as k')
    .leftJoin('waitlist as w', 'w.id', 'k.waitlist_id')
    .select(['k.id', 'k.hint', 'k.waitlist_id', 'w.public_id', 'k.environment', 'k.can_read', 'k.created_at'])
    .select(['k.expires_at', 'k.revoked_at', 'k.last_used_at', 'k.label']);
  if (!scope) return all;
  const { waitlistId, environment } = scope;
  const ours = all.where('k.environment', '=', environment);
  return waitlistId === null
    ? ours.where('k.waitlist_id', 'is', null)
    : ours.where('w.public_id', '=', waitlistId);
}

type KeyRow = Awaited<ReturnType<ReturnType<typeof selectKeys>['executeTakeFirstOrThrow']>>;

export function keySummary(row: KeyRow): KeySummary {
  return {
    id: row.id,
    hint: row.hint,
    name: row.label,
    waitlistId: row.public_id,
    environment: row.environment,
    canRead: row.can_read === 1,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    lastUsedAt: row.last_used_at,
  };
}
