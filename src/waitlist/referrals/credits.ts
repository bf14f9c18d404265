import type { Columns, Status } from '../../db/tables.ts';
import type { Context } from '../queue/context.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { findMembersBySeq, type Member, type Members } from './members.ts';
import { rankOf } from './rank.ts';

/** Who referred whom, and whether the referrer has the credit for it. */
export interface Referral {
  readonly seq: number;
  readonly referrerSeq: number;
  readonly credited: boolean;
}

/**
 * Credits a referrer, unless whom they referred has yet to leave `pending`, or the waitlist's cap is reached. Returns
 * whether it did; the members are written by `writeCredits`.
 */
export function credit(
  change: QueueChange,
  referrer: Member | undefined,
  referred: { readonly id: Uint8Array; readonly status: Status },
): referrer is Member {
  if (!referrer || referred.status === 'pending') return false;
  if (referrer.referrals + referrer.gained >= change.settings.referralCap) return false;
  referrer.gained += 1;
  change.record({ kind: 'referral.credited', entry: referrer.seq, referred: referred.id });
  return true;
}

export function takeCredit(referrer: Member): void {
  referrer.gained -= 1;
}

const CREDIT_COLUMNS = {
  queue_id: 'bigint',
  seq: 'bigint',
  referrals: 'bigint',
  rank: 'bigint',
} as const satisfies Columns<'entry'>;

/** Writes what the members who were there before have gained, or lost, and moves them accordingly. */
export function writeCredits({ db }: Context, change: QueueChange, members: Members): void {
  const { trx, queue, settings, tally, send } = change;
  const rows = [...members.known.values()]
    .filter(({ gained }) => gained !== 0)
    .map(({ seq, status, rank, referrals, gained }) => {
      const moved = rankOf(seq, settings.boost, referrals + gained);
      tally.leave(status, rank);
      tally.enter(status, moved);
      return [queue.id, seq, referrals + gained, moved];
    });
  send(db.updateRows(trx, { table: 'entry', columns: CREDIT_COLUMNS, key: ['queue_id', 'seq'], rows }));
}

const REFERRAL_COLUMNS = {
  queue_id: 'bigint',
  seq: 'bigint',
  referrer_seq: 'bigint',
  credited: 'bigint',
} as const satisfies Columns<'entry'>;

/** Writes referrals of entries that are in the queue already, and what their referrers have of them. */
export function writeReferrals(
  context: Context,
  change: QueueChange,
  members: Members,
  referrals: readonly Referral[],
): void {
  const { trx, queue, send } = change;
  const rows = referrals.map(({ seq, referrerSeq, credited }) => [
    queue.id,
    seq,
    referrerSeq,
    credited ? 1 : 0,
  ]);
  const update = { table: 'entry', columns: REFERRAL_COLUMNS, key: ['queue_id', 'seq'], rows } as const;
  send(context.db.updateRows(trx, update));
  writeCredits(context, change, members);
}

/** Gives the credits that waited for these entries to leave `pending`. */
export async function creditReferrersOf(
  context: Context,
  change: QueueChange,
  entries: readonly { readonly seq: number }[],
  status: Status,
): Promise<void> {
  const { db } = context;
  const { trx, queue } = change;
  const seqs = db.numbersList(entries.map(({ seq }) => seq));
  const referred = await trx
    .selectFrom('entry')
    .select(['seq', 'id', 'referrer_seq'])
    .where('queue_id', '=', queue.id)
    .where((e) => db.inNumbers(e.ref('seq'), e.val(seqs)))
    .where('referrer_seq', 'is not', null)
    .where('credited', '=', 0)
    .orderBy('seq')
    .execute();
  if (referred.length === 0) return;
  const referrerSeqs = referred.map(({ referrer_seq }) => referrer_seq as number);
  const members = await findMembersBySeq(context, trx, queue, referrerSeqs);
  const credited = referred.flatMap(({ seq, id, referrer_seq }) => {
    const referrer = members.find({ seq: referrer_seq as number });
    return credit(change, referrer, { id, status })
      ? [{ seq, referrerSeq: referrer.seq, credited: true }]
      : [];
  });
  writeReferrals(context, change, members, credited);
}

/** Takes from the referrer what somebody who is removed has brought them. */
export async function takeCreditBack(
  context: Context,
  change: QueueChange,
  removed: { referrer_seq: number | null; credited: number },
): Promise<void> {
  if (removed.credited === 0 || removed.referrer_seq === null) return;
  const members = await findMembersBySeq(context, change.trx, change.queue, [removed.referrer_seq]);
  const referrer = members.find({ seq: removed.referrer_seq });
  if (!referrer) return;
  takeCredit(referrer);
  writeCredits(context, change, members);
}
