import { parseEmail } from '../lib/email.ts';
import type { Actor } from './actor.ts';
import { changeOperators, recordAudit } from './audit.ts';
import type { OperatorContext } from './context.ts';
import { createLink, type LinkKind } from './links.ts';
import { objectOf, readOperator } from './operator.ts';

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
