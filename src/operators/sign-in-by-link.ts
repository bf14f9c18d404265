import { parseId } from '../lib/ids.ts';
import { changeOperators } from './audit.ts';
import { openSession, type SignedIn, type SigningBrowser } from './open-session.ts';
import type { Operator } from './operator.ts';
import type { SignInParts } from './sign-in.ts';

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
