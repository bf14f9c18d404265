import { sql } from 'kysely';
import { DoorlistError, notFound } from '../../lib/errors.ts';
import { bytesKey, parseId } from '../../lib/ids.ts';
import { findByEmails } from '../entries/move-entry.ts';
import { changeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { inviteState, openSealed, type SealedInvite } from './invites.ts';

/** Reminders per transaction: few enough that signups do not wait long. */
const CHUNK = 500;

/** Sends one reminder for each open invite that is about to expire, and returns how many were sent. */
export async function remindInvited(context: Context, queue: Queue): Promise<number> {
  let reminded = 0;
  for (;;) {
    const due = await changeQueue(context, queue, (change) => remindStep(context, change));
    reminded += due.reminded;
    if (due.looked < CHUNK) return reminded;
  }
}

async function remindStep(
  context: Context,
  change: QueueChange,
): Promise<{ looked: number; reminded: number }> {
  const { trx, queue, now } = change;
  const due = await trx
    .selectFrom('invite')
    .select(['id', 'email_hash', 'sealed', 'expires_at', 'accepted_at', 'revoked_at', 'expired_at'])
    .where('queue_id', '=', queue.id)
    .where('remind_at', '<=', now)
    .orderBy('remind_at')
    .limit(CHUNK)
    .execute();
  const open = due.filter((invite) => inviteState(invite, now) === 'live');
  const hashes = open.map(({ email_hash }) => email_hash);
  const entries = await findByEmails(change, hashes);
  for (const row of open) {
    const sealed = openSealed(context, queue, row);
    if (!sealed) continue;
    const entry = entries.get(bytesKey(row.email_hash))?.seq ?? null;
    const invite = { ...sealed, id: row.id, expiresAt: row.expires_at };
    change.record({ kind: 'invite.reminder_due', entry, invite });
  }
  await forgetReminders(context, change, due);
  return { looked: due.length, reminded: open.length };
}

async function forgetReminders(
  { db }: Context,
  { trx, queue }: QueueChange,
  due: { id: Uint8Array }[],
): Promise<void> {
  const ids = due.map(({ id }) => id);
  await trx
    .updateTable('invite')
    .set({ remind_at: null })
    .where('queue_id', '=', queue.id)
    .where((e) => db.in(e.ref('id'), ids))
    .execute();
  await sql`update queue_state set next_reminder = (
      select min(remind_at) from invite where queue_id = ${queue.id} and remind_at is not null
    ) where queue_id = ${queue.id}`.execute(trx);
}

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
