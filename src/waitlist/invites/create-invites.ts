import { statement } from '../../db/statement.ts';
import { requireEmail } from '../../lib/email.ts';
import { conflict } from '../../lib/errors.ts';
import { bytesKey, formatId, newNumberedId, randomCode } from '../../lib/ids.ts';
import { canMove, findByEmails, type Movable, moveEntries } from '../entries/move-entry.ts';
import { changeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import { type Expiry, expiryAt, type Lifetime } from '../queue/expiry.ts';
import type { Queue } from '../queue/queue.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { CODE_RANDOM_CHARACTERS, type SealedInvite } from './invites.ts';

export interface CreatedInvite {
  id: Uint8Array;
  code: string;
  email: string;
  expiresAt: number | null;
}

export interface Invitee {
  email: string;
  emailHash: Uint8Array;
  entry: Movable | null;
}

/** The wave that an invite belongs to, and the time of its run. */
interface WaveMark {
  id: Uint8Array;
  run: number;
}

/** Invites an email, whether or not it is on the list. A waiting entry with that email becomes invited. */
export async function createInvite(
  context: Context,
  queue: Queue,
  input: { email: string; expiresAt?: Expiry | Lifetime },
): Promise<CreatedInvite> {
  const email = requireEmail(input.email);
  const emailHash = queue.vault.hash('email', email.key);
  const [created] = await changeQueue(context, queue, async (change) => {
    const expiresAt = expiryAt(input.expiresAt, change.now);
    const entry = (await findByEmails(change, [emailHash])).get(bytesKey(emailHash)) ?? null;
    refuseOff(entry);
    const made = await inviteAll(change, [{ email: email.shown, emailHash, entry }], expiresAt);
    for (const { id } of made)
      await context.audit?.(change.trx, {
        action: 'invite.created',
        object: { kind: 'invite', id: formatId('inv', id) },
      });
    return made;
  });
  return created as CreatedInvite;
}

/** Someone who was taken off the waitlist stays off it until the entry is erased, or approved. */
export function refuseOff(entry: Pick<Movable, 'status'> | null | undefined): void {
  if (entry?.status === 'removed')
    throw conflict('email: this person was removed from the waitlist; erase the entry to invite them again');
  if (entry?.status === 'declined')
    throw conflict('email: this person was declined; approve the entry to invite them');
}

export async function inviteAll(
  change: QueueChange,
  invitees: readonly Invitee[],
  expiry: Expiry,
  wave: WaveMark | null = null,
): Promise<CreatedInvite[]> {
  const { trx, queue, now, settings } = change;
  const standard = settings.inviteExpiryMs === null ? null : now + settings.inviteExpiryMs;
  const expiresAt = expiry === undefined ? standard : expiry;
  const remindAt = expiresAt === null ? null : reminderTime(change, expiresAt);
  const made = invitees.map(({ email, emailHash, entry }, index) => {
    const id = newNumberedId(now, index);
    const code = queue.tag + randomCode(CODE_RANDOM_CHARACTERS);
    change.record({ kind: 'invite.sent', invite: { id, email, expiresAt, code }, entry: entry?.seq ?? null });
    return { id, code, email, emailHash };
  });
  const rows = made.map(({ id, code, email, emailHash }) => ({
    queue_id: queue.id,
    id,
    code_hash: queue.vault.hash('invite', code),
    email_hash: emailHash,
    sealed: queue.vault.seal('invite.sealed', id, { email, code } satisfies SealedInvite),
    created_at: now,
    expires_at: expiresAt,
    remind_at: remindAt,
    wave_id: wave?.id ?? null,
    wave_run: wave?.run ?? null,
  }));
  trx.insert('invite', rows);
  if (rows.length > 0) change.tally.slots.add('invited', now, rows.length);
  const entries = invitees.flatMap(({ entry }) => (entry && canMove(entry.status, 'invited') ? [entry] : []));
  await moveEntries(change, entries, 'invited');
  if (made.length > 0) {
    if (expiresAt !== null) trx.write(keepNextExpiry, { queueId: queue.id, time: expiresAt });
    if (remindAt !== null) trx.write(keepNextReminder, { queueId: queue.id, time: remindAt });
  }
  return made.map(({ id, code, email }) => ({ id, code, email, expiresAt }));
}

/** Returns null if reminders are off or the invite is too short for one. */
function reminderTime({ now, settings }: QueueChange, expiresAt: number): number | null {
  if (settings.inviteReminderMs === null) return null;
  const remindAt = expiresAt - settings.inviteReminderMs;
  return remindAt > now ? remindAt : null;
}

/** Lowers the queue's next due time to the given one if that is earlier. */
function keepNoLater(column: 'next_expiry' | 'next_reminder') {
  return statement<{ queueId: number; time: number }, unknown>((db, parameter) =>
    db.query
      .updateTable('queue_state')
      .set({ [column]: parameter('time') })
      .where('queue_id', '=', parameter('queueId'))
      .where((e) => e.or([e(column, 'is', null), e(column, '>', parameter('time'))])),
  );
}

const keepNextExpiry = keepNoLater('next_expiry');
const keepNextReminder = keepNoLater('next_reminder');
