import type { Selectable } from 'kysely';
import { sharedNow } from '../db/shared-clock.ts';
import type { AdminTokenTable } from '../db/tables.ts';
import { invalid, notFound } from '../errors.ts';
import { formatId, newId, parseId } from '../ids.ts';
import { hasChecksum, newSecret } from '../waitlist/keys/server-key-format.ts';
import type { Actor } from './actor.ts';
import { changeOperators, recordAudit } from './audit.ts';
import type { OperatorContext } from './context.ts';
import { checkName } from './operator.ts';
import { type Role, requireRank } from './roles.ts';

export interface AdminToken {
  id: string;
  name: string;
  role: Role;
  /** The last characters, so that people can tell tokens apart. */
  hint: string;
  createdAt: number;
  expiresAt: number | null;
  revokedAt: number | null;
  lastUsedAt: number | null;
}

const PREFIX = 'dla_';
const SHAPE = /^dla_[0-9A-Za-z]{34}$/;
const HINT_CHARACTERS = 4;
const USED_EVERY_MS = 60_000;

/** If `expiresAt` is null, it works until it is revoked. */
export async function createToken(
  context: OperatorContext,
  actor: Actor,
  input: { name: string; role: Role; expiresAt: number | null },
): Promise<AdminToken & { token: string }> {
  const name = checkName(input.name);
  requireRank(actor.role, input.role);
  return changeOperators(context, async (trx, now) => {
    if (input.expiresAt !== null && input.expiresAt <= now) throw invalid('expiresAt: must be in the future');
    const token = newSecret(PREFIX);
    const row = await trx
      .insertInto('admin_token')
      .values({
        id: newId(now),
        token_hash: context.vault.hash('token', token),
        hint: token.slice(-HINT_CHARACTERS),
        name,
        role: input.role,
        created_at: now,
        expires_at: input.expiresAt,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    const created = readToken(row);
    const after = { role: created.role, expiresAt: created.expiresAt };
    await recordAudit(
      context,
      trx,
      actor,
      { action: 'token.created', object: objectOf(created), after },
      now,
    );
    return { ...created, token };
  });
}

export async function listTokens({ db }: OperatorContext): Promise<AdminToken[]> {
  return (await db.query.selectFrom('admin_token').selectAll().orderBy('id').execute()).map(readToken);
}

export async function revokeToken(context: OperatorContext, actor: Actor, id: string): Promise<void> {
  await changeOperators(context, async (trx, now) => {
    const bytes = parseId('tok', id) ?? Buffer.alloc(0);
    const row = await trx.selectFrom('admin_token').selectAll().where('id', '=', bytes).executeTakeFirst();
    if (!row) throw notFound('there is no such token');
    requireRank(actor.role, row.role);
    const { numUpdatedRows } = await trx
      .updateTable('admin_token')
      .set({ revoked_at: now })
      .where('id', '=', bytes)
      .where('revoked_at', 'is', null)
      .executeTakeFirst();
    if (numUpdatedRows > 0n)
      await recordAudit(
        context,
        trx,
        actor,
        { action: 'token.revoked', object: objectOf(readToken(row)) },
        now,
      );
  });
}

/** Returns undefined if the token does not exist, was revoked or has expired. */
export async function findToken(context: OperatorContext, token: string): Promise<AdminToken | undefined> {
  if (!SHAPE.test(token) || !hasChecksum(token)) return undefined;
  const { db, vault } = context;
  const now = await sharedNow(context);
  const row = await db.query
    .selectFrom('admin_token')
    .selectAll()
    .where('token_hash', '=', vault.hash('token', token))
    .where('revoked_at', 'is', null)
    .where((e) => e.or([e('expires_at', 'is', null), e('expires_at', '>', now)]))
    .executeTakeFirst();
  if (!row) return undefined;
  if (now - (row.last_used_at ?? 0) >= USED_EVERY_MS)
    await db.query.updateTable('admin_token').set({ last_used_at: now }).where('id', '=', row.id).execute();
  return readToken(row);
}

function readToken(row: Selectable<AdminTokenTable>): AdminToken {
  return {
    id: formatId('tok', row.id),
    name: row.name,
    role: row.role,
    hint: row.hint,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    lastUsedAt: row.last_used_at,
  };
}

function objectOf({ id, name }: AdminToken) {
  return { kind: 'token' as const, id, name };
}
