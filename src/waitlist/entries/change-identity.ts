import type { Email } from '../../lib/email.ts';
import { conflict, invalid } from '../../lib/errors.ts';
import { bytesKey, formatId } from '../../lib/ids.ts';
import { ifReadable } from '../../vault/crypto.ts';
import { mailboxHash } from '../people/identity.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { decideAgain } from '../referrals/decide-again.ts';

export interface Identity {
  readonly seq: number;
  readonly id: Uint8Array;
  readonly email_hash: Uint8Array | null;
  readonly phone_hash: Uint8Array | null;
  readonly mailbox_hash: Uint8Array | null;
  readonly credited: number;
}

export interface NewIdentity {
  email?: Email | undefined;
  /** null removes it. */
  phone?: string | null | undefined;
}

/**
 * Gives an entry another email or phone. Whatever is stored under the old email goes along: invites, what was sent, and
 * that the person wants no emails. That the old one bounced does not: it says nothing about the new one.
 */
export async function changeIdentity(
  change: QueueChange,
  entry: Identity,
  { email, phone }: NewIdentity,
): Promise<void> {
  const { trx, queue, now } = change;
  const { vault } = queue;
  if (phone === null && !entry.email_hash && !email)
    throw invalid('phone: cannot be removed, because there is no email');
  const emailHash = email && vault.hash('email', email.key);
  const phoneHash = phone == null ? phone : vault.hash('phone', phone);
  if (emailHash) await refuseTaken(change, entry, 'email', emailHash);
  if (phoneHash) await refuseTaken(change, entry, 'phone', phoneHash);
  const row = { queue_id: queue.id, seq: entry.seq };
  const key = ['queue_id', 'seq'] as const;
  if (phoneHash !== undefined) trx.update('entry', { key }, [{ ...row, phone_hash: phoneHash }]);
  const former = entry.email_hash;
  if (!email || !emailHash || (former && emailHash.equals(former))) return;
  const mailbox = mailboxHash(vault, email.key);
  trx.update('entry', { key }, [{ ...row, email_hash: emailHash, mailbox_hash: mailbox, addressed_at: now }]);
  if (former) {
    await moveInvites(change, former, { email: email.shown, hash: emailHash });
    await moveMessages(change, former, emailHash);
    await moveSuppression(change, former, emailHash);
  }
  await changeMailbox(change, entry, mailbox ?? emailHash);
}

async function refuseTaken(
  { trx, queue }: QueueChange,
  { seq }: Identity,
  field: 'email' | 'phone',
  hash: Uint8Array,
): Promise<void> {
  const holder = await trx
    .selectFrom('entry')
    .select(['id', 'status'])
    .where('queue_id', '=', queue.id)
    .where(`${field}_hash`, '=', hash)
    .where('seq', '<>', seq)
    .executeTakeFirst();
  if (holder)
    throw conflict(`${field}: ${formatId('ent', holder.id)} already has it; that entry is ${holder.status}`);
}

/** With their codes. */
async function moveInvites(
  { trx, queue }: QueueChange,
  former: Uint8Array,
  { email, hash }: { email: string; hash: Buffer },
): Promise<void> {
  const invites = await trx
    .selectFrom('invite')
    .select(['id', 'sealed'])
    .where('queue_id', '=', queue.id)
    .where('email_hash', '=', former)
    .execute();
  const rows = invites.map(({ id, sealed }) => {
    const opened = ifReadable(() => queue.vault.open<object>('invite.sealed', id, sealed));
    const moved = opened && queue.vault.seal('invite.sealed', Buffer.from(id), { ...opened, email });
    return { queue_id: queue.id, id, email_hash: hash, sealed: moved ?? sealed };
  });
  trx.update('invite', { key: ['queue_id', 'id'] }, rows);
}

async function moveMessages({ trx, queue }: QueueChange, former: Uint8Array, subject: Buffer): Promise<void> {
  const about = await trx
    .deleteFrom('event_subject')
    .where('queue_id', '=', queue.id)
    .where('subject', '=', former)
    .returning('event_id')
    .execute();
  const rows = about.map(({ event_id }) => ({ queue_id: queue.id, subject, event_id }));
  trx.insert('event_subject', rows, { onConflict: 'ignore' });
}

async function moveSuppression(
  { trx, queue }: QueueChange,
  former: Uint8Array,
  emailHash: Buffer,
): Promise<void> {
  const suppressed = await trx
    .deleteFrom('mail_suppression')
    .where('queue_id', '=', queue.id)
    .where('email_hash', '=', former)
    .returningAll()
    .execute();
  const wishes = suppressed.filter(({ reason }) => reason !== 'bounced');
  trx.insert(
    'mail_suppression',
    wishes.map((row) => ({ ...row, email_hash: emailHash })),
    { onConflict: 'ignore' },
  );
  await trx
    .deleteFrom('mail_soft_bounce')
    .where('queue_id', '=', queue.id)
    .where('email_hash', '=', former)
    .execute();
}

/** Referrals are decided again by the new mailbox: those of the person, and those that share it. */
async function changeMailbox(change: QueueChange, entry: Identity, mailbox: Uint8Array): Promise<void> {
  const former = entry.mailbox_hash ?? entry.email_hash;
  if (former && bytesKey(former) === bytesKey(mailbox)) return;
  const credits = decideAgain(change);
  if (former && entry.credited === 1) await credits.vacate(entry.seq, former);
  await credits.reopen([entry.seq, ...(await referredFrom(change, entry.seq, former, mailbox))]);
  await credits.settle();
}

/** Whom somebody referred with one of these mailboxes. */
async function referredFrom(
  { trx, queue }: QueueChange,
  seq: number,
  ...mailboxes: (Uint8Array | null)[]
): Promise<number[]> {
  const known = mailboxes.filter((mailbox) => mailbox !== null);
  const rows = await trx
    .selectFrom('entry')
    .select('seq')
    .where('queue_id', '=', queue.id)
    .where('referrer_seq', '=', seq)
    .where((e) => e.or([e('email_hash', 'in', known), e('mailbox_hash', 'in', known)]))
    .execute();
  return rows.map((row) => row.seq);
}
