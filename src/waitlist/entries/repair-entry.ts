import { sql } from 'kysely';
import type { Email } from '../../lib/email.ts';
import { conflict, invalid } from '../../lib/errors.ts';
import { bytesKey, formatId } from '../../lib/ids.ts';
import { openSealed } from '../invites/invites.ts';
import { type Identifier, mailboxHash } from '../people/identity.ts';
import type { Context } from '../queue/context.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { decideAgain } from '../referrals/decide-again.ts';
import { detachReferred, updateDepths } from '../referrals/depth.ts';
import { findMembers } from '../referrals/members.ts';
import { referenceTo } from '../referrals/referral-code.ts';

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
  context: Context,
  change: QueueChange,
  entry: Identity,
  { email, phone }: NewIdentity,
): Promise<void> {
  const { trx, queue, now } = change;
  const { vault } = queue;
  if (phone === null && !entry.email_hash)
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
    await moveInvites(context, change, former, { email: email.shown, hash: emailHash });
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
  context: Context,
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
    const opened = openSealed(context, queue, { id, sealed });
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

/** What was and what is, as ids. */
interface Referrers {
  before: string | null;
  after: string | null;
}

/** Gives an entry another referrer, or none, as if it had been so from the start. */
export async function changeReferrer(
  change: QueueChange,
  entry: Pick<Identity, 'seq'>,
  wanted: Identifier | null,
): Promise<Referrers> {
  const { trx, queue } = change;
  const { seq } = entry;
  const row = await readReferral(change, seq);
  const referrer = wanted && (await findReferrer(change, seq, wanted));
  const referrers = {
    before: row.referrer_id && formatId('ent', row.referrer_id),
    after: referrer && formatId('ent', referrer.id),
  };
  if ((referrer?.seq ?? null) === row.referrer_seq) return referrers;
  const credits = decideAgain(change);
  await credits.release(seq);
  await link(change, row, referrer?.seq ?? null);
  await trx.deleteFrom('referral_review').where('queue_id', '=', queue.id).where('seq', '=', seq).execute();
  await credits.reopen([seq]);
  await credits.settle();
  return referrers;
}

async function readReferral({ trx, queue }: QueueChange, seq: number) {
  return trx
    .selectFrom('entry as e')
    .leftJoin('entry as r', (join) =>
      join.onRef('r.queue_id', '=', 'e.queue_id').onRef('r.seq', '=', 'e.referrer_seq'),
    )
    .select(['e.seq', 'e.depth', 'e.created_at', 'e.referrer_seq', 'r.id as referrer_id'])
    .where('e.queue_id', '=', queue.id)
    .where('e.seq', '=', seq)
    .executeTakeFirstOrThrow();
}

async function link(
  change: QueueChange,
  row: { seq: number; depth: number; created_at: number },
  referrerSeq: number | null,
): Promise<void> {
  if (referrerSeq === null) return detachReferred(change, [row]);
  const referral = { queue_id: change.queue.id, seq: row.seq, referrer_seq: referrerSeq };
  change.trx.update('entry', { key: ['queue_id', 'seq'] }, [referral]);
  await updateDepths(change, [row.seq]);
}

async function findReferrer(change: QueueChange, seq: number, wanted: Identifier) {
  const { trx, queue } = change;
  const referrer = referenceTo(queue, wanted);
  const members = await findMembers(trx, queue, [{ emailHash: null, phoneHash: null, referrer }]);
  const found = members.find(referrer);
  if (!found || found.status === 'removed')
    throw invalid('referredBy: nobody on the waitlist has this email, phone number or referral code');
  if (found.seq === seq) throw conflict('referredBy: nobody can refer themselves');
  const { id } = await trx
    .selectFrom('entry')
    .select('id')
    .where('queue_id', '=', queue.id)
    .where('seq', '=', found.seq)
    .executeTakeFirstOrThrow();
  if (await isAbove(change, seq, found.seq))
    throw conflict(
      `referredBy: ${formatId('ent', id)} was referred by this person, directly or through others, and that would be a circle`,
    );
  return { seq: found.seq, id };
}

/** Whether a chain of referrals leads from one entry to the other. */
async function isAbove({ trx, queue }: QueueChange, above: number, below: number): Promise<boolean> {
  const { rows } = await sql<{ seq: number }>`
    with recursive chain (seq) as (
      select referrer_seq from entry
      where queue_id = ${queue.id} and seq = ${below} and referrer_seq is not null
      union
      select e.referrer_seq from chain as c
      inner join entry as e on e.queue_id = ${queue.id} and e.seq = c.seq
      where e.referrer_seq is not null
    ) select seq from chain where seq = ${above}`.execute(trx);
  return rows.length > 0;
}
