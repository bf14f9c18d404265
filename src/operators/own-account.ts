import type { Selectable } from 'kysely';
import { generateSecret, generateURI } from 'otplib';
import { renderSVG } from 'uqr';
import type { Trx } from '../db/database.ts';
import { sharedNow } from '../db/shared-clock.ts';
import type { OperatorTable } from '../db/tables.ts';
import { requireEmail } from '../lib/email.ts';
import { DoorlistError, invalid } from '../lib/errors.ts';
import { parseId } from '../lib/ids.ts';
import { changeOperators, recordAudit } from './audit.ts';
import type { OperatorContext } from './context.ts';
import { knownDevice, newDevice } from './devices.ts';
import { checkName, type Operator, objectOf, type Profile, readOperator } from './operator.ts';
import { requireGoodPassword } from './password-rules.ts';
import type { Actor } from './roles.ts';
import { replaceRecoveryCodes, useSecondFactor, useTotp } from './second-factor.ts';
import { ownId } from './sessions.ts';
import type { SlowDown } from './slow-down.ts';

export interface AccountParts {
  context: OperatorContext;
  slowDown: SlowDown;
}

const ISSUER = 'Doorlist';

/** Ends every other session and every open link of that person. Returns a new mark for a browser that is known. */
export async function changePassword(
  { context, slowDown }: AccountParts,
  actor: Actor,
  sessionId: string,
  input: { password: string; newPassword: string; device?: string | undefined },
): Promise<string | undefined> {
  const row = await requirePassword({ context, slowDown }, actor, input.password);
  await requireGoodPassword(input.newPassword, readOperator(context.vault, row).email, 'newPassword');
  const password = await context.passwords.hash(input.newPassword);
  await changeOperators(context, async (trx, now, tell) => {
    await requireSamePassword(actor, trx, row);
    await trx.updateTable('operator').set({ password }).where('id', '=', row.id).execute();
    await trx.deleteFrom('operator_link').where('operator_id', '=', row.id).execute();
    await trx
      .deleteFrom('operator_session')
      .where('operator_id', '=', row.id)
      .where('id', '!=', parseId('ses', sessionId) ?? Buffer.alloc(0))
      .execute();
    await recordAudit(context, trx, actor, { action: 'password.changed' }, now);
    tell(readOperator(context.vault, row), { kind: 'password-changed', address: actor.address });
  });
  const { vault } = context;
  return knownDevice(vault, row, input.device) && newDevice(vault, { ...row, password });
}

/** Changes the own name or email. Another email needs the password, ends every open link, and the old address is told. */
export async function changeProfile(
  { context, slowDown }: AccountParts,
  actor: Actor,
  input: { name?: string | undefined; email?: string | undefined; password?: string | undefined },
): Promise<Operator> {
  if (input.name === undefined && input.email === undefined) throw invalid('name or email is required');
  const newName = input.name === undefined ? undefined : checkName(input.name);
  const email = input.email === undefined ? undefined : requireEmail(input.email);
  const { vault, db } = context;
  const known = readOperator(vault, await requireOwnRow(actor, db.query));
  const moves = email !== undefined && email.shown !== known.email;
  if (moves && input.password === undefined) throw invalid('password: is required to change the email');
  const proven = moves && (await requirePassword({ context, slowDown }, actor, input.password ?? ''));
  return changeOperators(context, async (trx, now, tell) => {
    const row = proven ? await requireSamePassword(actor, trx, proven) : await requireOwnRow(actor, trx);
    const before = readOperator(vault, row);
    const after = { email: email?.shown ?? before.email, name: newName ?? before.name };
    const emailHash = email ? vault.hash('email', email.key) : row.email_hash;
    const taken = await trx
      .selectFrom('operator')
      .select('id')
      .where('email_hash', '=', emailHash)
      .where('id', '!=', row.id)
      .executeTakeFirst();
    if (taken) throw new DoorlistError('conflict', 'email: an operator with this email already exists');
    const profile = vault.seal('operator.profile', row.id, after satisfies Profile);
    await trx
      .updateTable('operator')
      .set({ profile, email_hash: emailHash })
      .where('id', '=', row.id)
      .execute();
    // Whoever reads the old mailbox may have one.
    if (moves) await trx.deleteFrom('operator_link').where('operator_id', '=', row.id).execute();
    const { name, email: address } = before;
    const event = { action: 'operator.updated' as const, before: { name, email: address }, after };
    await recordAudit(context, trx, actor, { ...event, object: objectOf(before) }, now);
    if (moves) tell(before, { kind: 'email-changed', address: actor.address });
    return readOperator(vault, { ...row, profile });
  });
}

interface TotpSecret {
  secret: string;
  uri: string;
  /** The address as a QR code, in SVG. */
  picture: string;
}

/** Returns a new secret for the authenticator app. It takes effect once a code is confirmed. */
export async function startTotp(parts: AccountParts, actor: Actor, password: string): Promise<TotpSecret> {
  const { context } = parts;
  const proven = await requirePassword(parts, actor, password);
  const secret = generateSecret();
  const sealed = context.vault.seal('operator.totp', proven.id, secret);
  await changeOperators(context, async (trx) => {
    const { id, totp } = await requireSamePassword(actor, trx, proven);
    if (totp) throw new DoorlistError('conflict', 'two-factor authentication is already on');
    await trx.updateTable('operator').set({ totp_pending: sealed }).where('id', '=', id).execute();
  });
  const { email } = readOperator(context.vault, proven);
  const uri = generateURI({ secret, issuer: ISSUER, label: email });
  return { secret, uri, picture: renderSVG(uri) };
}

/** Turns on two-factor authentication and returns the recovery codes, which are shown only once. */
export async function confirmTotp(
  { context, slowDown }: AccountParts,
  actor: Actor,
  code: string,
): Promise<string[]> {
  slowDown.begin(`confirm ${actor.id}`);
  const codes = await changeOperators(context, async (trx, now) => {
    const row = await requireOwnRow(actor, trx);
    if (!row.totp_pending) throw new DoorlistError('conflict', 'start two-factor authentication first');
    if (!(await useTotp(context, trx, row, row.totp_pending, code.replaceAll(' ', ''), now)))
      return undefined;
    await trx
      .updateTable('operator')
      .set({ totp: row.totp_pending, totp_pending: null })
      .where('id', '=', row.id)
      .execute();
    await recordAudit(context, trx, actor, { action: 'two_factor.enabled' }, now);
    return replaceRecoveryCodes(context, trx, row.id);
  });
  if (!codes) throw invalid('code: is incorrect');
  slowDown.forget(`confirm ${actor.id}`);
  return codes;
}

/** Requires a code of the app or a recovery code in addition to the password. */
export async function disableTotp(
  parts: AccountParts,
  actor: Actor,
  input: { password: string; code: string },
): Promise<void> {
  const { context, slowDown } = parts;
  const proven = await requirePassword(parts, actor, input.password);
  slowDown.begin(`disable ${actor.id}`);
  const done = await changeOperators(context, async (trx, now, tell) => {
    const row = await requireSamePassword(actor, trx, proven);
    const { id } = row;
    if (!row.totp) throw new DoorlistError('conflict', 'two-factor authentication is off');
    if (!(await useSecondFactor(context, trx, row, input.code, actor, now))) return false;
    await trx.updateTable('operator').set({ totp: null, totp_pending: null }).where('id', '=', id).execute();
    await trx.deleteFrom('recovery_code').where('operator_id', '=', id).execute();
    await recordAudit(context, trx, actor, { action: 'two_factor.disabled' }, now);
    tell(readOperator(context.vault, row), { kind: 'two-factor-off', address: actor.address });
    return true;
  });
  if (!done) throw invalid('code: is incorrect');
  slowDown.forget(`disable ${actor.id}`);
}

/** Creates new codes. The old ones stop working. */
export async function renewRecoveryCodes(
  parts: AccountParts,
  actor: Actor,
  password: string,
): Promise<string[]> {
  const { context } = parts;
  const proven = await requirePassword(parts, actor, password);
  return changeOperators(context, async (trx, now) => {
    const { id, totp } = await requireSamePassword(actor, trx, proven);
    if (!totp) throw new DoorlistError('conflict', 'two-factor authentication is off');
    await recordAudit(context, trx, actor, { action: 'recovery_codes.replaced' }, now);
    return replaceRecoveryCodes(context, trx, id);
  });
}

/** After signing in, there is no need to ask for the password again. */
const FRESH_MS = 10 * 60_000;

/** Requires the password, unless the person has just signed in. */
export async function requireFreshSignIn(
  parts: AccountParts,
  actor: Actor,
  sessionId: string,
  password: string | undefined,
) {
  if (password !== undefined) return requirePassword(parts, actor, password);
  const { context } = parts;
  const now = await sharedNow(context);
  const session = await context.db.query
    .selectFrom('operator_session')
    .select('created_at')
    .where('id', '=', parseId('ses', sessionId) ?? Buffer.alloc(0))
    .where('created_at', '>', now - FRESH_MS)
    .executeTakeFirst();
  if (!session)
    throw new DoorlistError('forbidden', 'password: is required, because you signed in a while ago');
  return requireOwnRow(actor, context.db.query);
}

/** An open session must not be enough to change how a person signs in, or to see secrets. */
export async function requirePassword({ context, slowDown }: AccountParts, actor: Actor, password: string) {
  slowDown.begin(`password ${actor.id}`);
  const row = await requireOwnRow(actor, context.db.query);
  if (!(await context.passwords.verify(row.password, password))) throw wrongPassword();
  slowDown.forget(`password ${actor.id}`);
  return row;
}

/** Comparing takes a while. Whoever knew a password that was reset meanwhile must not change anything with it. */
async function requireSamePassword(actor: Actor, trx: Trx, proven: Selectable<OperatorTable>) {
  const row = await requireOwnRow(actor, trx);
  if (row.password !== proven.password) throw wrongPassword();
  return row;
}

function wrongPassword(): DoorlistError {
  return new DoorlistError('forbidden', 'password: is incorrect');
}

export async function requireOwnRow(actor: Actor, executor: OperatorContext['db']['query']) {
  const row = await executor
    .selectFrom('operator')
    .selectAll()
    .where('id', '=', ownId(actor))
    .executeTakeFirst();
  if (!row) throw new DoorlistError('unauthorized', 'this operator was removed');
  return row;
}
