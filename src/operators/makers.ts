import type { Selectable } from 'kysely';
import type { Trx } from '../db/database.ts';
import type { AdminTokenTable } from '../db/tables.ts';
import { DoorlistError } from '../lib/errors.ts';
import { formatId, parseId } from '../lib/ids.ts';
import { recordAudit } from './audit.ts';
import type { OperatorContext } from './context.ts';
import { type Actor, mayActAs, ROLES, type Role, referenceTo } from './roles.ts';

/** How much an actor can hand on: no more than they have, and for no longer. */
interface Reach {
  role: Role;
  expiresAt: number | null;
}

/** As it is now: the role may have changed, or the token ended, since the request began. */
export async function reachOf(trx: Trx, actor: Actor, now: number): Promise<Reach> {
  if (actor.kind === 'command-line') return { role: actor.role, expiresAt: null };
  const id = parseId(actor.kind === 'token' ? 'tok' : 'opr', actor.id ?? '') ?? Buffer.alloc(0);
  const found: { role: Role; expires_at?: number | null } | undefined =
    actor.kind === 'token'
      ? await trx
          .selectFrom('admin_token')
          .select(['role', 'expires_at'])
          .where('id', '=', id)
          .where('revoked_at', 'is', null)
          .where((e) => e.or([e('expires_at', 'is', null), e('expires_at', '>', now)]))
          .executeTakeFirst()
      : await trx.selectFrom('operator').select('role').where('id', '=', id).executeTakeFirst();
  if (!found) throw new DoorlistError('unauthorized', 'this operator or token has been removed');
  return { role: found.role, expiresAt: found.expires_at ?? null };
}

type TokenRow = Selectable<AdminTokenTable>;

export function selectTokens(executor: OperatorContext['db']['query']): Promise<TokenRow[]> {
  return executor.selectFrom('admin_token').selectAll().orderBy('id').execute();
}

export function referenceToToken({ id }: Pick<TokenRow, 'id'>): string {
  return `token:${formatId('tok', id)}`;
}

/** The tokens that somebody made and that still work, those of their tokens included. */
async function tokensOf(trx: Trx, maker: string): Promise<TokenRow[]> {
  const open = (await selectTokens(trx)).filter(({ revoked_at }) => revoked_at === null);
  const made = open.filter(({ created_by }) => created_by === maker);
  for (const each of made) // Grows while it is walked.
    made.push(...open.filter(({ created_by }) => created_by === referenceToToken(each)));
  return made;
}

/** Ends everything that somebody made for others to come in with. */
export async function endAccessBy(
  context: OperatorContext,
  trx: Trx,
  actor: Actor,
  maker: string,
  now: number,
): Promise<void> {
  const tokens = await tokensOf(trx, maker);
  for (const token of tokens) await endToken(context, trx, actor, token, now);
  await endLinksBy(trx, [maker, ...tokens.map(referenceToToken)], ROLES);
}

/** Ends, or else lowers, what gives more than its maker's new role. */
export async function limitAccessBy(
  context: OperatorContext,
  trx: Trx,
  actor: Actor,
  { maker, role, tokens }: { maker: string; role: Role; tokens: 'revoke' | 'cap' },
  now: number,
): Promise<void> {
  const made = await tokensOf(trx, maker);
  const higher = ROLES.filter((each) => !mayActAs(role, each));
  for (const token of made.filter((each) => higher.includes(each.role))) {
    if (tokens === 'cap') await capToken(context, trx, actor, token, role, now);
    else {
      for (const child of await tokensOf(trx, referenceToToken(token)))
        await endToken(context, trx, actor, child, now);
      await endToken(context, trx, actor, token, now);
    }
  }
  await endLinksBy(trx, [maker, ...made.map(referenceToToken)], higher);
}

/** Makes somebody's tokens those of the actor, who answers for them from now on. */
export async function takeOverTokens(
  context: OperatorContext,
  trx: Trx,
  actor: Actor,
  maker: string,
  now: number,
): Promise<void> {
  const { expiresAt } = await reachOf(trx, actor, now);
  const made = await tokensOf(trx, maker);
  for (const token of made) {
    const isDirect = token.created_by === maker;
    const created_by = isDirect ? referenceTo(actor) : token.created_by;
    const expires_at = earliest(token.expires_at, expiresAt);
    await trx.updateTable('admin_token').set({ created_by, expires_at }).where('id', '=', token.id).execute();
    if (!isDirect) continue;
    const change = { before: { createdBy: maker }, after: { createdBy: created_by } };
    await recordAudit(
      context,
      trx,
      actor,
      { action: 'token.changed', object: objectOf(token), ...change },
      now,
    );
  }
  await endLinksBy(trx, [maker, ...made.map(referenceToToken)], ROLES);
}

async function capToken(
  context: OperatorContext,
  trx: Trx,
  actor: Actor,
  token: TokenRow,
  role: Role,
  now: number,
): Promise<void> {
  await trx.updateTable('admin_token').set({ role }).where('id', '=', token.id).execute();
  const change = { before: { role: token.role }, after: { role } };
  await recordAudit(
    context,
    trx,
    actor,
    { action: 'token.changed', object: objectOf(token), ...change },
    now,
  );
}

/** Does nothing if it has ended. */
export async function endToken(
  context: OperatorContext,
  trx: Trx,
  actor: Actor,
  token: TokenRow,
  now: number,
): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable('admin_token')
    .set({ revoked_at: now })
    .where('id', '=', token.id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  if (numUpdatedRows > 0n)
    await recordAudit(context, trx, actor, { action: 'token.revoked', object: objectOf(token) }, now);
}

async function endLinksBy(trx: Trx, makers: readonly string[], roles: readonly Role[]): Promise<void> {
  await trx
    .deleteFrom('operator_link')
    .where('created_by', 'in', makers)
    .where((e) =>
      e(
        'operator_id',
        'in',
        e.selectFrom('operator').select('operator.id').where('operator.role', 'in', roles),
      ),
    )
    .execute();
}

/** null is never. */
function earliest(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b);
}

export function objectOf({ id, name }: Pick<TokenRow, 'id' | 'name'>) {
  return { kind: 'token' as const, id: formatId('tok', id), name };
}
