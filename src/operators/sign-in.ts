import { parseEmail } from '../lib/email.ts';
import { DoorlistError } from '../lib/errors.ts';
import { formatId, parseId } from '../lib/ids.ts';
import { changeOperators } from './audit.ts';
import type { OperatorContext } from './context.ts';
import { knownDevice } from './devices.ts';
import { openSession, type SignedIn, type SigningBrowser } from './open-session.ts';
import { actorOf, type Operator, readOperator } from './operator.ts';
import { useSecondFactor } from './second-factor.ts';
import type { SessionLimits } from './sessions.ts';
import type { SlowDown } from './slow-down.ts';

export interface SignInParts {
  context: OperatorContext;
  limits: SessionLimits;
  slowDown: SlowDown;
}

interface Attempt extends SigningBrowser {
  email: string;
  password: string;
  /** Of the authenticator app, or a recovery code. */
  code?: string | undefined;
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
  if (!row || !fits) throw refusal(context, row);
  slowDown.forget(guesser);
  // Only someone who knows the password gets here, so codes are counted per account, from any address.
  const codeGuesser = known ? `code ${guesser}` : `code ${account}`;
  const everyDevice = `code ${account} devices`;
  if (row.totp) {
    if (attempt.code === undefined) throw new DoorlistError('code_required', 'code: is required');
    slowDown.begin(codeGuesser);
    if (known) slowDown.begin(everyDevice, FREE_CODES_OF_DEVICES);
  }
  const actor = actorOf(readOperator(vault, row), attempt.client.address);
  const signedIn = await changeOperators(context, async (trx, now, tell) => {
    // The password may have been changed, or a second factor turned on, during the comparison.
    const current = await trx
      .selectFrom('operator')
      .selectAll()
      .where('id', '=', row.id)
      .where('password', '=', row.password)
      .executeTakeFirst();
    if (!current) return undefined;
    if (current.totp && !(await useSecondFactor(context, trx, current, attempt.code ?? '', actor, now)))
      return undefined;
    return openSession(parts, trx, current, attempt, now, tell);
  });
  if (!signedIn) throw refusal(context, row);
  slowDown.forget(codeGuesser);
  if (row.totp && known) slowDown.takeBack(everyDevice);
  return signedIn;
}

/** Logs only the id: what was typed as an email may be anything, even a password. */
function refusal({ log, meter }: OperatorContext, row: { id: Uint8Array } | undefined): DoorlistError {
  meter.signInFailed();
  log.warn({ operator: row ? formatId('opr', row.id) : null }, 'sign-in refused');
  return new DoorlistError('unauthorized', REFUSAL);
}

/**
 * Signs in a person who has just set their password with a one-time link. It proves as much as the password, and is not
 * slowed down by the guesses that made somebody ask for it. Returns undefined if a second factor is required.
 */
export async function signInByLink(
  parts: SignInParts,
  { id }: Pick<Operator, 'id'>,
  browser: SigningBrowser,
): Promise<SignedIn | undefined> {
  return changeOperators(parts.context, async (trx, now, tell) => {
    const row = await trx
      .selectFrom('operator')
      .selectAll()
      .where('id', '=', parseId('opr', id) ?? Buffer.alloc(0))
      .executeTakeFirst();
    return row && !row.totp ? openSession(parts, trx, row, browser, now, tell) : undefined;
  });
}
