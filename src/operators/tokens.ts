import type { Selectable } from 'kysely';
import { sharedNow } from '../db/shared-clock.ts';
import type { AdminTokenTable } from '../db/tables.ts';
import { invalid, notFound } from '../lib/errors.ts';
import { formatId, newId, parseId } from '../lib/ids.ts';
import { isoTime } from '../lib/time.ts';
import { hasChecksum, newSecret } from '../waitlist/keys/server-key-format.ts';
import { changeOperators, recordAudit } from './audit.ts';
import type { OperatorContext } from './context.ts';
import { endAccessBy, endToken, objectOf, reachOf, referenceToToken, selectTokens } from './makers.ts';
import { checkName } from './operator.ts';
import { type Actor, type Role, referenceTo, requireRank } from './roles.ts';

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
  /** Kind and id: `operator:opr_…`. null if it is not known. */
  createdBy: string | null;
}

const PREFIX = 'dla_';
const SHAPE = /^dla_[0-9A-Za-z]{34}$/;
const HINT_CHARACTERS = 4;
const USED_EVERY_MS = 60_000;

/** If `expiresAt` is null, it works until it is revoked. Without one, it lasts as long as its maker can say. */
export async function createToken(
  context: OperatorContext,
  actor: Actor,
  input: { name: string; role: Role; expiresAt?: number | null | undefined },
): Promise<AdminToken & { token: string }> {
  const name = checkName(input.name);
  return changeOperators(context, async (trx, now) => {
    const reach = await reachOf(trx, actor, now);
    requireRank(reach.role, input.role);
    const { expiresAt = reach.expiresAt } = input;
    if (expiresAt !== null && expiresAt <= now) throw invalid('expiresAt: must be in the future');
    if (reach.expiresAt !== null && (expiresAt ?? Infinity) > reach.expiresAt)
      throw invalid(
        `expiresAt: must not be later than ${isoTime(reach.expiresAt)}, when your own token expires`,
      );
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
        expires_at: expiresAt,
        created_by: referenceTo(actor),
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    const created = readToken(row);
    const after = { role: created.role, expiresAt: created.expiresAt };
    await recordAudit(context, trx, actor, { action: 'token.created', object: objectOf(row), after }, now);
    return { ...created, token };
  });
}

export async function listTokens({ db }: OperatorContext): Promise<AdminToken[]> {
  return (await selectTokens(db.query)).map(readToken);
}

/** Also ends what it was used to create for others to come in with. */
export async function revokeToken(context: OperatorContext, actor: Actor, id: string): Promise<void> {
  await changeOperators(context, async (trx, now) => {
    const bytes = parseId('tok', id) ?? Buffer.alloc(0);
    const row = await trx.selectFrom('admin_token').selectAll().where('id', '=', bytes).executeTakeFirst();
    if (!row) throw notFound('there is no such token');
    requireRank((await reachOf(trx, actor, now)).role, row.role);
    await endAccessBy(context, trx, actor, referenceToToken(row), now);
    await endToken(context, trx, actor, row, now);
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
    createdBy: row.created_by,
  };
}
