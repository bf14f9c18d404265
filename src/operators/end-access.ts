import type { Actor } from './actor.ts';
import { changeOperators, recordAudit } from './audit.ts';
import type { OperatorContext } from './context.ts';

export interface EndedAccess {
  sessions: number;
  links: number;
  tokens: number;
}

/** Ends every session, one-time link and token, for example those that a restored backup has revived. */
export async function endAllAccess(context: OperatorContext, actor: Actor): Promise<EndedAccess> {
  return changeOperators(context, async (trx, now) => {
    const sessions = await trx.deleteFrom('operator_session').executeTakeFirst();
    const links = await trx.deleteFrom('operator_link').executeTakeFirst();
    const tokens = await trx
      .updateTable('admin_token')
      .set({ revoked_at: now })
      .where('revoked_at', 'is', null)
      .executeTakeFirst();
    const ended = {
      sessions: Number(sessions.numDeletedRows),
      links: Number(links.numDeletedRows),
      tokens: Number(tokens.numUpdatedRows),
    };
    await recordAudit(context, trx, actor, { action: 'access.ended', after: { ...ended } }, now);
    return ended;
  });
}
