import type { Trx } from '../db/database.ts';
import { parseEmail } from '../lib/email.ts';
import { DoorlistError } from '../lib/errors.ts';
import type { Actor } from './actor.ts';
import { changeOperators, recordAudit } from './audit.ts';
import type { OperatorContext } from './context.ts';
import { knownDevice, newDevice } from './devices.ts';
import { type Operator, readOperator } from './operator.ts';
import { useSecondFactor } from './second-factor.ts';
import { type Client, createSession, type SessionLimits } from './sessions.ts';
import type { SlowDown } from './slow-down.ts';

export interface SignInParts {
  context: OperatorContext;
  limits: SessionLimits;
  slowDown: SlowDown;
}

export interface Attempt {
  email: string;
  password: string;
  /** Of the authenticator app, or a recovery code. */
  code?: string | undefined;
  client: Client;
  /** The browser's cookies: the session to replace, and the mark of an earlier sign-in. */
  session: string | undefined;
  device: string | undefined;
}

export interface SignedIn {
  operator: Operator;
  secret: string;
  expiresAt: number;
  device: string;
}

/** Wrong codes from all known browsers of an account together, before they have to wait: four people's worth of typos. */
const FREE_CODES_OF_DEVICES = 20;

/** The same message whatever is wrong. */
export const REFUSAL = 'the email, password or code is incorrect';

/**
 * Guessing is slowed down per account and address, so that nobody can lock out someone else. A browser that
 * has signed in before is counted separately, whoever shares its address.
 */
export async function signIn(parts: SignInParts, attempt: Attempt): Promise<SignedIn> {
  const { context, slowDown } = parts;
  const { db, vault } = context;
  const emailHash = vault.hash('email', parseEmail(attempt.email)?.key ?? attempt.email);
  const account = emailHash.toString('base64');
  const row = await db.query
    .selectFrom('operator')
    .selectAll()
    .where('email_hash', '=', emailHash)
    .executeTakeFirst();
  const known = knownDevice(vault, row, attempt.device);
  const guesser = known ? `${account} device ${known}` : `${account} ${attempt.client.address}`;
  slowDown.begin(guesser);
  const fits = await context.passwords.verify(row?.password ?? null, attempt.password, !known);
  if (!row || !fits) throw refusal(context, row && readOperator(vault, row));
  slowDown.forget(guesser);
  // Only someone who knows the password gets here, so codes are counted per account, from any address.
  const codeGuesser = known ? `code ${guesser}` : `code ${account}`;
  const everyDevice = `code ${account} devices`;
  if (row.totp) {
    if (attempt.code === undefined) throw new DoorlistError('code_required', 'code: is required');
    slowDown.begin(codeGuesser);
    if (known) slowDown.begin(everyDevice, FREE_CODES_OF_DEVICES);
  }
  const operator = readOperator(vault, row);
  const actor: Actor = {
    kind: 'operator',
    id: operator.id,
    name: operator.email,
    role: operator.role,
    address: attempt.client.address,
  };
  const session = await changeOperators(context, async (trx, now, tell) => {
    // The password may have been changed during the comparison.
    const still = await trx
      .selectFrom('operator')
      .select('id')
      .where('id', '=', row.id)
      .where('password', '=', row.password)
      .executeTakeFirst();
    if (!still) return undefined;
    if (row.totp && !(await useSecondFactor(context, trx, row, attempt.code ?? '', actor, now)))
      return undefined;
    if (!known && (await hasSignedIn(trx, operator.id)))
      tell(operator, { kind: 'new-sign-in', ...attempt.client });
    return openSession(parts, trx, row.id, actor, attempt, now);
  });
  if (!session) throw refusal(context, operator);
  slowDown.forget(codeGuesser);
  if (row.totp && known) slowDown.takeBack(everyDevice);
  return {
    operator,
    ...session,
    device: known && attempt.device ? attempt.device : newDevice(vault, row),
  };
}

/** The last step of signing in. */
export async function openSession(
  { context, limits }: SignInParts,
  trx: Trx,
  operatorId: Uint8Array,
  actor: Actor,
  { client, session }: Pick<Attempt, 'client' | 'session'>,
  now: number,
  after?: { with: 'passkey' },
) {
  const created = await createSession(context, trx, operatorId, { client, limits, replaces: session }, now);
  const object = { kind: 'session' as const, id: created.id };
  const event = { action: 'session.created' as const, object, ...(after ? { after } : {}) };
  await recordAudit(context, trx, actor, event, now);
  return created;
}

/** The first sign-in of all is not worth a warning. */
export async function hasSignedIn(trx: Trx, id: string): Promise<boolean> {
  const found = await trx
    .selectFrom('audit')
    .select('seq')
    .where('actor', '=', `operator:${id}`)
    .where('action', '=', 'session.created')
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** Logs only the id: what was typed as an email may be anything, even a password. */
function refusal({ log, meter }: OperatorContext, operator: Operator | undefined): DoorlistError {
  meter.signInFailed();
  log.warn({ operator: operator?.id ?? null }, 'sign-in refused');
  return new DoorlistError('unauthorized', REFUSAL);
}
