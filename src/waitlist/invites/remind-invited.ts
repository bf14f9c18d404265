import { sql } from 'kysely';
import { bytesKey } from '../../lib/bytes-key.ts';
import { findByEmails } from '../entries/move-entry.ts';
import { changeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { inviteState, openSealed } from './invites.ts';

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
