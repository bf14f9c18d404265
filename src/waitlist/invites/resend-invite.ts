import { bytesKey } from '../../lib/bytes-key.ts';
import { DoorlistError, notFound } from '../../lib/errors.ts';
import { parseId } from '../../lib/ids.ts';
import { findByEmails } from '../entries/move-entry.ts';
import { changeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import { inviteState, type SealedInvite } from './invites.ts';

/** Sends the email of an open invite again, with the same code and expiry. */
export async function resendInvite(context: Context, queue: Queue, inviteId: string): Promise<void> {
  const id = parseId('inv', inviteId);
  await changeQueue(context, queue, async (change) => {
    const { trx, now, settings } = change;
    const row =
      id &&
      (await trx
        .selectFrom('invite')
        .select(['id', 'sealed', 'email_hash', 'expires_at', 'accepted_at', 'revoked_at', 'expired_at'])
        .where('queue_id', '=', queue.id)
        .where('id', '=', id)
        .executeTakeFirst());
    if (!row) throw notFound(`there is no invite ${inviteId}`);
    const state = inviteState(row, now);
    if (state !== 'live') throw new DoorlistError('conflict', `this invite is ${state}`);
    if (!settings.mailKinds.includes('invite'))
      throw new DoorlistError('conflict', 'invite emails are turned off for this waitlist');
    const { email, code } = queue.vault.open<SealedInvite>('invite.sealed', row.id, row.sealed);
    const entry = (await findByEmails(change, [row.email_hash])).get(bytesKey(row.email_hash))?.seq ?? null;
    change.record({
      kind: 'invite.resent',
      invite: { id: row.id, email, code, expiresAt: row.expires_at },
      entry,
    });
    await context.audit?.(trx, { action: 'invite.resent', object: { kind: 'invite', id: inviteId } });
  });
}
