import type { Selectable } from 'kysely';
import type { Trx } from '../db/database.ts';
import type { OperatorTable } from '../db/tables.ts';
import { type Email, requireEmail } from '../lib/email.ts';
import { DoorlistError, damaged, notFound } from '../lib/errors.ts';
import { newId, parseId } from '../lib/ids.ts';
import { changeOperators, recordAudit } from './audit.ts';
import type { OperatorContext } from './context.ts';
import { createLink, type LinkKind, type OneTimeLink } from './links.ts';
import { endAccessBy, limitAccessBy, reachOf, takeOverTokens } from './makers.ts';
import {
  checkName,
  type Operator,
  objectOf,
  type Profile,
  readAnyOperator,
  readOperator,
} from './operator.ts';
import { type Actor, mayActAs, type Role, referenceTo, requireRank } from './roles.ts';

export async function listOperators({ db, vault }: OperatorContext): Promise<Operator[]> {
  const rows = await db.query.selectFrom('operator').selectAll().orderBy('id').execute();
  return rows.map((row) => readAnyOperator(vault, row));
}

export async function countOperators({ db }: OperatorContext): Promise<number> {
  const { count } = await db.query
    .selectFrom('operator')
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Adds a person, who chooses a password with the returned link. */
export async function inviteOperator(
  context: OperatorContext,
  actor: Actor,
  input: { email: string; name?: string | undefined; role: Role },
): Promise<{ operator: Operator; link: OneTimeLink }> {
  const email = requireEmail(input.email);
  const name = checkName(input.name ?? '', 0);
  return changeOperators(context, async (trx, now, tell) => {
    const { role: rank } = await reachOf(trx, actor, now);
    requireRank(rank, input.role);
    const row = await insertOperator(context, trx, { email, name, role: input.role, password: null }, now);
    const operator = readOperator(context.vault, row);
    await recordAudit(
      context,
      trx,
      actor,
      { action: 'operator.created', object: objectOf(operator), after: { role: operator.role } },
      now,
    );
    const made = {
      operatorId: row.id,
      kind: 'invitation' as const,
      maker: referenceTo(actor),
      maxRole: rank,
    };
    const link = await createLink(context, trx, made, now);
    tell(operator, { ...link, by: nameOf(actor) });
    return { operator, link };
  });
}

/** The caller holds the lock of the audit trail. */
export async function insertOperator(
  { vault }: OperatorContext,
  trx: Trx,
  { email, name, role, password }: { email: Email; name: string; role: Role; password: string | null },
  now: number,
): Promise<Selectable<OperatorTable>> {
  const emailHash = vault.hash('email', email.key);
  const taken = await trx
    .selectFrom('operator')
    .select('id')
    .where('email_hash', '=', emailHash)
    .executeTakeFirst();
  if (taken) throw new DoorlistError('conflict', 'email: an operator with this email already exists');
  const id = newId(now);
  const profile = vault.seal('operator.profile', id, { email: email.shown, name } satisfies Profile);
  return trx
    .insertInto('operator')
    .values({ id, email_hash: emailHash, profile, role, password, created_at: now })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/**
 * A rise ends the open links to that account, because whoever holds one would rise with it. When the role
 * sinks, tokens of that person with a higher role are revoked, or capped to the new one.
 */
export async function changeRole(
  context: OperatorContext,
  actor: Actor,
  id: string,
  { role, tokens = 'revoke' }: { role: Role; tokens?: 'revoke' | 'cap' | undefined },
): Promise<Operator> {
  return changeOperators(context, async (trx, now) => {
    const row = await requireOperator(trx, id);
    requireRank((await reachOf(trx, actor, now)).role, row.role, role);
    if (row.role !== role) {
      if (row.role === 'owner') await requireAnotherOwner(trx, row.id);
      await trx.updateTable('operator').set({ role }).where('id', '=', row.id).execute();
      await recordAudit(
        context,
        trx,
        actor,
        {
          action: 'operator.role_changed',
          object: objectOf(readAnyOperator(context.vault, row)),
          before: { role: row.role },
          after: { role },
        },
        now,
      );
      const maker = `operator:${id}`;
      if (mayActAs(role, row.role))
        await trx.deleteFrom('operator_link').where('operator_id', '=', row.id).execute();
      else await limitAccessBy(context, trx, actor, { maker, role, tokens }, now);
    }
    return readAnyOperator(context.vault, { ...row, role });
  });
}

/**
 * Also ends every session and link of that person, and the links and tokens that they made. Tokens can be kept:
 * then they become those of the actor.
 */
export async function removeOperator(
  context: OperatorContext,
  actor: Actor,
  id: string,
  tokens: 'revoke' | 'keep' = 'revoke',
): Promise<void> {
  const unsent = await changeOperators(context, async (trx, now) => {
    const row = await requireOperator(trx, id);
    requireRank((await reachOf(trx, actor, now)).role, row.role);
    if (row.role === 'owner') await requireAnotherOwner(trx, row.id);
    if (tokens === 'keep') await takeOverTokens(context, trx, actor, `operator:${id}`, now);
    else await endAccessBy(context, trx, actor, `operator:${id}`, now);
    for (const table of ['operator_session', 'operator_link', 'recovery_code', 'passkey'] as const)
      await trx.deleteFrom(table).where('operator_id', '=', row.id).execute();
    await trx.deleteFrom('operator').where('id', '=', row.id).execute();
    await recordAudit(
      context,
      trx,
      actor,
      {
        action: 'operator.removed',
        object: objectOf(readAnyOperator(context.vault, row)),
        before: { role: row.role },
      },
      now,
    );
    return context.notices?.erase(trx, row.id, now);
  });
  await unsent?.();
}

/** Signs that person out everywhere, and returns how many sessions there were. */
export async function endSessionsOf(context: OperatorContext, actor: Actor, id: string): Promise<number> {
  return changeOperators(context, async (trx, now) => {
    const row = await requireOperator(trx, id);
    requireRank((await reachOf(trx, actor, now)).role, row.role);
    const { numDeletedRows } = await trx
      .deleteFrom('operator_session')
      .where('operator_id', '=', row.id)
      .executeTakeFirst();
    const ended = Number(numDeletedRows);
    const object = objectOf(readAnyOperator(context.vault, row));
    await recordAudit(context, trx, actor, { action: 'session.ended', object, after: { ended } }, now);
    return ended;
  });
}

/**
 * A new link for someone who lost the invitation, the password or, with `twoFactorOff`, the second factor and
 * the passkeys.
 */
export async function createOperatorLink(
  context: OperatorContext,
  actor: Actor,
  find: { id: string } | { email: string },
  twoFactorOff = false,
): Promise<{ operator: Operator; link: OneTimeLink }> {
  return changeOperators(context, async (trx, now, tell) => {
    const row =
      'id' in find ? await requireOperator(trx, find.id) : await requireByEmail(context, trx, find.email);
    const { role: rank } = await reachOf(trx, actor, now);
    requireRank(rank, row.role);
    const operator = readAnyOperator(context.vault, row);
    if (operator.state === 'damaged')
      throw damaged('this account is damaged: remove it, and invite the person again');
    const object = objectOf(operator);
    const kind: LinkKind = row.password === null ? 'invitation' : 'reset';
    const made = { operatorId: row.id, kind, maker: referenceTo(actor), maxRole: rank };
    const link = await createLink(context, trx, made, now);
    tell(operator, { ...link, by: nameOf(actor) });
    await recordAudit(context, trx, actor, { action: 'operator.link_created', object, after: { kind } }, now);
    const { numDeletedRows: passkeys } = twoFactorOff
      ? await trx.deleteFrom('passkey').where('operator_id', '=', row.id).executeTakeFirst()
      : { numDeletedRows: 0n };
    if (passkeys > 0n)
      await recordAudit(
        context,
        trx,
        actor,
        { action: 'passkey.removed', object, after: { removed: Number(passkeys) } },
        now,
      );
    if (twoFactorOff && row.totp) {
      await trx
        .updateTable('operator')
        .set({ totp: null, totp_pending: null })
        .where('id', '=', row.id)
        .execute();
      await trx.deleteFrom('recovery_code').where('operator_id', '=', row.id).execute();
      await recordAudit(context, trx, actor, { action: 'two_factor.disabled', object }, now);
      tell(operator, { kind: 'two-factor-off' });
    }
    return { operator, link };
  });
}

async function requireOperator(trx: Trx, id: string): Promise<Selectable<OperatorTable>> {
  const bytes = parseId('opr', id);
  const row =
    bytes && (await trx.selectFrom('operator').selectAll().where('id', '=', bytes).executeTakeFirst());
  if (!row) throw notFound('there is no such operator');
  return row;
}

async function requireByEmail({ vault }: OperatorContext, trx: Trx, text: string) {
  const hash = vault.hash('email', requireEmail(text).key);
  const row = await trx.selectFrom('operator').selectAll().where('email_hash', '=', hash).executeTakeFirst();
  if (!row) throw notFound('there is no operator with this email');
  return row;
}

/** Tokens have names that mean nothing to the recipient. */
function nameOf({ kind, name }: Actor): string | null {
  return kind === 'operator' ? name : null;
}

async function requireAnotherOwner(trx: Trx, id: Uint8Array): Promise<void> {
  const other = await trx
    .selectFrom('operator')
    .select('id')
    .where('role', '=', 'owner')
    .where('id', '!=', id)
    .where('password', 'is not', null) // People who have not signed in yet may never do so.
    .executeTakeFirst();
  if (!other) throw new DoorlistError('conflict', 'this is the only owner: make someone else an owner first');
}
