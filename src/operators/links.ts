import type { Trx } from '../db/database.ts';
import { sharedNow } from '../db/shared-clock.ts';
import { parseEmail } from '../lib/email.ts';
import { DoorlistError } from '../lib/errors.ts';
import { randomBytes } from '../lib/ids.ts';
import { DAY_MS, HOUR_MS } from '../lib/time.ts';
import { changeOperators, recordAudit } from './audit.ts';
import type { OperatorContext } from './context.ts';
import { actorOf, checkName, type Operator, objectOf, type Profile, readOperator } from './operator.ts';
import { requireGoodPassword } from './password-rules.ts';
import { type Actor, mayActAs, type Role } from './roles.ts';

export type LinkKind = 'invitation' | 'reset';

export interface OneTimeLink {
  kind: LinkKind;
  token: string;
  expiresAt: number;
}

const LIFETIME_MS: Record<LinkKind, number> = {
  invitation: 7 * DAY_MS, // Enough for someone who is away for a few days.
  reset: HOUR_MS, // The person who requested it is waiting for it.
};
const TOKEN_BYTES = 32;

export function linkUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/password/${token}`;
}

interface NewLink {
  operatorId: Uint8Array;
  kind: LinkKind;
  /** Kind and id, or null for a stranger. */
  maker: string | null;
  /** The maker's: the link leads to no higher one. */
  maxRole: Role;
}

/** Replaces any earlier link of that person, unless a stranger asked for it. */
export async function createLink(
  { vault }: OperatorContext,
  trx: Trx,
  { operatorId, kind, maker, maxRole }: NewLink,
  now: number,
): Promise<OneTimeLink> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const expiresAt = now + LIFETIME_MS[kind];
  const earlier = trx.deleteFrom('operator_link').where('operator_id', '=', operatorId);
  await (maker === null ? earlier.where('expires_at', '<=', now) : earlier).execute();
  await trx
    .insertInto('operator_link')
    .values({
      token_hash: vault.hash('link', token),
      operator_id: operatorId,
      kind,
      created_at: now,
      expires_at: expiresAt,
      created_by: maker,
      max_role: maxRole,
    })
    .execute();
  return { kind, token, expiresAt };
}

/** Whom a link is for, or undefined if it was used, replaced or has ended. */
export async function findLink(
  context: OperatorContext,
  token: string,
): Promise<{ kind: LinkKind; operator: Operator } | undefined> {
  const row = await selectLink(context, context.db.query, token, await sharedNow(context));
  return row && { kind: row.kind, operator: readOperator(context.vault, row) };
}

/** Sets the password that the person chose, and ends all their sessions. */
export async function followLink(
  context: OperatorContext,
  input: { token: string; name?: string | undefined; password: string },
  address: string | null,
): Promise<Operator> {
  const found = await findLink(context, input.token);
  if (!found) throw gone();
  const name = checkName(input.name ?? found.operator.name, 0);
  await requireGoodPassword(input.password, found.operator.email);
  const password = await context.passwords.hash(input.password);
  return changeOperators(context, async (trx, now, tell) => {
    const row = await selectLink(context, trx, input.token, now);
    if (!row) throw gone(); // Another request was faster.
    const { email } = readOperator(context.vault, row);
    const profile = context.vault.seal('operator.profile', row.id, { email, name } satisfies Profile);
    await trx.updateTable('operator').set({ password, profile }).where('id', '=', row.id).execute();
    await trx.deleteFrom('operator_link').where('operator_id', '=', row.id).execute();
    await trx.deleteFrom('operator_session').where('operator_id', '=', row.id).execute();
    const operator = readOperator(context.vault, { ...row, profile, password });
    const event = { action: 'password.set' as const, after: { with: row.kind } };
    await recordAudit(context, trx, actorOf(operator, address), event, now);
    if (row.kind === 'reset') tell(operator, { kind: 'password-changed', address });
    return operator;
  });
}

async function selectLink(
  { vault }: OperatorContext,
  executor: OperatorContext['db']['query'],
  token: string,
  now: number,
) {
  const row = await executor
    .selectFrom('operator_link')
    .innerJoin('operator', 'operator.id', 'operator_link.operator_id')
    .selectAll('operator')
    .select(['operator_link.kind', 'operator_link.max_role'])
    .where('token_hash', '=', vault.hash('link', token))
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row && mayActAs(row.max_role ?? 'viewer', row.role) ? row : undefined;
}

function gone(): DoorlistError {
  return new DoorlistError('expired', 'this link has been used or has expired: request a new one');
}

/** Anybody can ask for a link to anybody's address. */
const EVERY_MS = 5 * 60_000;

/**
 * Sends a one-time link, if there is such an operator. Earlier links keep working, so that nobody can make
 * somebody else's useless by asking for another one.
 */
export async function sendPasswordLink(
  context: OperatorContext,
  text: string,
  address: string | null,
): Promise<void> {
  const email = parseEmail(text);
  if (!email) return;
  const { db, vault } = context;
  const hash = vault.hash('email', email.key);
  const find = (executor: typeof db.query) =>
    executor.selectFrom('operator').selectAll().where('email_hash', '=', hash).executeTakeFirst();
  if (!(await find(db.query))) return; // Strangers must not be able to keep the audit trail locked.
  await changeOperators(context, async (trx, now, tell) => {
    const row = await find(trx);
    if (!row) return;
    const recent = await trx
      .selectFrom('operator_link')
      .select('kind')
      .where('operator_id', '=', row.id)
      .where('created_at', '>', now - EVERY_MS)
      .executeTakeFirst();
    if (recent) return;
    const operator = readOperator(vault, row);
    const kind: LinkKind = row.password === null ? 'invitation' : 'reset';
    const made = { operatorId: row.id, kind, maker: null, maxRole: row.role };
    const link = await createLink(context, trx, made, now);
    tell(operator, { ...link, by: null });
    const actor: Actor = { kind: 'anonymous', id: null, name: null, role: 'viewer', address };
    const event = { action: 'password.reset_requested' as const, object: objectOf(operator) };
    await recordAudit(context, trx, actor, event, now);
  });
}
