import { statement } from '../../db/statement.ts';
import type { Status } from '../../db/tables.ts';
import { mailboxKey } from '../people/identity.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { findCreditedMailboxes, sharedMailbox } from './mailboxes.ts';
import { findMembersBySeq, type Member, type Members } from './members.ts';
import { rankWithin } from './rank.ts';

/** Who referred whom, and whether the referrer was credited. */
interface Referral {
  readonly seq: number;
  readonly referrerSeq: number;
  readonly credited: boolean;
}

/** Somebody for whom a referrer may be credited. */
interface Referred {
  readonly id: Uint8Array;
  readonly status: Status;
  /** null to credit without regard to mailboxes. */
  readonly mailbox: string | null;
}

/**
 * Credits a referrer, unless the new entry is still `pending`, its mailbox is the referrer's own or was credited for
 * before, or the waitlist's cap is reached. Returns whether it did. `writeCredits` writes the result.
 */
export function credit(
  change: QueueChange,
  members: Members,
  referrer: Member | undefined,
  referred: Referred,
): boolean {
  if (!referrer || referrer.status === 'removed' || referred.status === 'pending') return false;
  const { referralCap } = change.settings;
  if (referralCap !== null && referrer.referrals + referrer.gained >= referralCap) return false;
  if (sharedMailbox(members, referrer, referred.mailbox)) return false;
  giveCredit(change, referrer, referred);
  if (referred.mailbox !== null) members.creditedMailboxes.add(referred.mailbox);
  return true;
}

export function giveCredit(change: QueueChange, referrer: Member, { id }: Pick<Referred, 'id'>): void {
  referrer.gained += 1;
  change.record({ kind: 'referral.credited', entry: referrer.seq, referred: id });
}

export function withdrawCredit(referrer: Member): void {
  referrer.gained -= 1;
}

/** Writes the credits that existing members gained or lost, and moves them in the queue. */
export function writeCredits(change: QueueChange, members: Pick<Members, 'known'>): void {
  const { trx, queue, tally } = change;
  const changed = [...members.known.values()].filter(({ gained }) => gained !== 0);
  const rows = changed.map(({ gained, ...member }) => {
    const referrals = member.referrals + gained;
    const { rank, moved } = rankWithin(change, { ...member, referrals });
    tally.leave(member.status, member.rank);
    tally.enter(member.status, rank);
    return { queue_id: queue.id, seq: member.seq, referrals, rank, moved };
  });
  trx.update('entry', { key: ['queue_id', 'seq'] }, rows);
}

/** Writes referrals of existing entries, and the credits of their referrers. */
export function writeReferrals(change: QueueChange, members: Members, referrals: readonly Referral[]): void {
  const rows = referrals.map(({ seq, referrerSeq, credited }) => ({
    queue_id: change.queue.id,
    seq,
    referrer_seq: referrerSeq,
    credited: credited ? 1 : 0,
  }));
  change.trx.update('entry', { key: ['queue_id', 'seq'] }, rows);
  writeCredits(change, members);
}

const findUncredited = statement<
  { queueId: number; seqs: readonly number[] },
  {
    seq: number;
    id: Uint8Array;
    email_hash: Uint8Array | null;
    mailbox_hash: Uint8Array | null;
    referrer_seq: number;
  }
>((db, parameter) =>
  db.query
    .selectFrom('entry')
    .select(['seq', 'id', 'email_hash', 'mailbox_hash'])
    .select((e) => e.ref('referrer_seq').$notNull().as('referrer_seq'))
    .where('queue_id', '=', parameter('queueId'))
    .where((e) => db.in(e.ref('seq'), parameter('seqs')))
    .where('referrer_seq', 'is not', null)
    .where('credited', '=', 0)
    .orderBy('seq'),
);

/** Gives the credits that were withheld while these entries were `pending`. */
export async function creditReferrersOf(
  change: QueueChange,
  entries: readonly { readonly seq: number }[],
  status: Status,
): Promise<void> {
  const { trx, queue } = change;
  const seqs = entries.map(({ seq }) => seq);
  const referred = await trx.run(findUncredited, { queueId: queue.id, seqs });
  if (referred.length === 0) return;
  const referrerSeqs = referred.map(({ referrer_seq }) => referrer_seq);
  const mailboxes = referred.flatMap(({ email_hash, mailbox_hash }) => mailbox_hash ?? email_hash ?? []);
  const [members, creditedMailboxes] = await Promise.all([
    findMembersBySeq(trx, queue, referrerSeqs),
    findCreditedMailboxes(trx, queue, mailboxes),
  ]);
  members.creditedMailboxes = creditedMailboxes;
  const credited = referred.flatMap(({ seq, id, referrer_seq: referrerSeq, ...hashes }) => {
    const mailbox = mailboxKey(hashes);
    return credit(change, members, members.find({ seq: referrerSeq }), { id, status, mailbox })
      ? [{ seq, referrerSeq, credited: true }]
      : [];
  });
  writeReferrals(change, members, credited);
}

/** Takes back the credit that the referrer got for a removed entry. */
export async function withdrawCreditFor(
  change: QueueChange,
  removed: { referrer_seq: number | null; credited: number },
): Promise<void> {
  if (removed.credited === 0 || removed.referrer_seq === null) return;
  const members = await findMembersBySeq(change.trx, change.queue, [removed.referrer_seq]);
  const referrer = members.find({ seq: removed.referrer_seq });
  if (!referrer) return;
  withdrawCredit(referrer);
  writeCredits(change, members);
}
