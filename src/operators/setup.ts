import { timingSafeEqual } from 'node:crypto';
import { requireEmail } from '../lib/email.ts';
import { notFound } from '../lib/errors.ts';
import { changeOperators, recordAudit } from './audit.ts';
import type { OperatorContext } from './context.ts';
import { actorOf, checkName, type Operator, objectOf, readOperator } from './operator.ts';
import { insertOperator } from './operators.ts';
import { requireGoodPassword } from './password-rules.ts';

/**
 * The secret of the set-up link. It is derived from the installation's key, so that every instance and the
 * command line print the same one. It works until there is an owner.
 */
export function setupToken({ vault }: OperatorContext): string {
  return vault.hash('setup', 'first owner').toString('base64url');
}

export function setupUrl(context: OperatorContext, publicUrl: string): string {
  return `${publicUrl}/setup/${setupToken(context)}`;
}

export async function isSetUp(executor: OperatorContext['db']['query']): Promise<boolean> {
  const owner = await executor
    .selectFrom('operator')
    .select('id')
    .where('role', '=', 'owner')
    .limit(1)
    .executeTakeFirst();
  return owner !== undefined;
}

/** The same response for a wrong token and for an installation that already has an owner. */
export async function requireSetupToken(context: OperatorContext, token: string): Promise<void> {
  if (!(await isSetupToken(context, token)))
    throw notFound('this set-up link is invalid, or the installation already has an owner');
}

export async function isSetupToken(context: OperatorContext, token: string): Promise<boolean> {
  const [given, wanted] = [token, setupToken(context)].map((text) => context.vault.hash('setup', text));
  const fits = timingSafeEqual(given as Buffer, wanted as Buffer);
  return !(await isSetUp(context.db.query)) && fits;
}

export async function completeSetup(
  context: OperatorContext,
  input: { token: string; email: string; name: string; password: string },
  address: string | null,
): Promise<Operator> {
  await requireSetupToken(context, input.token);
  const email = requireEmail(input.email);
  const name = checkName(input.name);
  await requireGoodPassword(input.password, email.shown);
  const password = await context.passwords.hash(input.password);
  return changeOperators(context, async (trx, now) => {
    if (await isSetUp(trx))
      throw notFound('this set-up link is invalid, or the installation already has an owner');
    const operator = readOperator(
      context.vault,
      await insertOperator(context, trx, { email, name, role: 'owner', password }, now),
    );
    const actor = actorOf(operator, address);
    await recordAudit(context, trx, actor, { action: 'setup.completed', object: objectOf(operator) }, now);
    return operator;
  });
}
