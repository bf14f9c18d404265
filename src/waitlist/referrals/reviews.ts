import { conflict, notFound } from '../../lib/errors.ts';
import { bytesKey, formatId, newId, parseId } from '../../lib/ids.ts';
import { changeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { credit, withdrawCreditFor, writeReferrals } from './credits.ts';
import { detachReferred } from './depth.ts';
import { findCreditedMailboxes, type SharedMailbox } from './mailboxes.ts';
import { findMembersBySeq } from './members.ts';

export const REVIEW_DECISIONS = ['credit', 'reject'] as const;
type ReviewDecision = (typeof REVIEW_DECISIONS)[number];

/**
 * A referral that looks like abuse. It is kept, but not credited before its email is confirmed, and not at all if it
 * shares a mailbox, unless an operator says so.
 */
export interface Review {
  id: Uint8Array;
  seq: number;
  referrerSeq: number;
  createdAt: number;
  decision: ReviewDecision | null;
  decidedAt: number | null;
  /** Whether the referrer has the credit now. */
  credited: boolean;
  /** Whose mailbox the entry shares: the referrer's, or that of somebody who was credited for. */
  sharedMailbox: SharedMailbox | null;
}

export function openReview({ trx, queue, now }: QueueChange, seq: number, referrerSeq: number): void {
  const row = { queue_id: queue.id, id: newId(now), seq, referrer_seq: referrerSeq, created_at: now };
  trx.insert('referral_review', [row]);
}

interface ReviewQuery {
  state: 'open' | 'decided' | undefined;
  limit: number;
  /** The id of the last review of the previous page. */
  after: Uint8Array | undefined;
}

/** Newest first. Reviews of removed entries are left out. */
export async function listReviews(
  { db }: Context,
  queue: Queue,
  { state, limit, after }: ReviewQuery,
): Promise<{ reviews: Review[]; next: Uint8Array | null }> {
  let query = selectReviews(db.query)
    .where('r.queue_id', '=', queue.id)
    .where('e.status', '<>', 'removed')
    .orderBy('r.id', 'desc')
    .limit(limit + 1);
  if (state === 'open') query = query.where('r.decision', 'is', null);
  if (state === 'decided') query = query.where('r.decision', 'is not', null);
  if (after) query = query.where('r.id', '<', after);
  const rows = await query.execute();
  const page = await withMailboxes(db, queue, rows.slice(0, limit));
  return { reviews: page, next: rows.length > limit ? (page.at(-1)?.id ?? null) : null };
}

function selectReviews(executor: Context['db']['query'] | QueueChange['trx']) {
  return executor
    .selectFrom('referral_review as r')
    .innerJoin('entry as e', (join) =>
      join.onRef('e.queue_id', '=', 'r.queue_id').onRef('e.seq', '=', 'r.seq'),
    )
    .select(['r.id', 'r.seq', 'r.referrer_seq', 'r.created_at', 'r.decision', 'r.decided_at'])
    .leftJoin('entry as by', (join) =>
      join.onRef('by.queue_id', '=', 'r.queue_id').onRef('by.seq', '=', 'r.referrer_seq'),
    )
    .select(['e.credited', 'e.status', 'e.id as entry_id', 'e.referrer_seq as current_referrer'])
    .select(['e.depth', 'e.created_at as joined'])
    .select((e) => [
      e.fn.coalesce('e.mailbox_hash', 'e.email_hash').as('mailbox'),
      e.fn.coalesce('by.mailbox_hash', 'by.email_hash').as('referrer_mailbox'),
    ]);
}

type ReviewRow = Awaited<ReturnType<ReturnType<typeof selectReviews>['executeTakeFirstOrThrow']>>;

async function withMailboxes(
  db: Context['db'] | QueueChange['trx'],
  queue: Queue,
  rows: readonly ReviewRow[],
): Promise<Review[]> {
  const mailboxes = rows.flatMap(({ mailbox, credited }) => (mailbox && credited === 0 ? [mailbox] : []));
  const creditedMailboxes = await findCreditedMailboxes(db, queue, mailboxes);
  return rows.map((row) => ({
    id: row.id,
    seq: row.seq,
    referrerSeq: row.referrer_seq,
    createdAt: row.created_at,
    decision: row.decision,
    decidedAt: row.decided_at,
    credited: row.credited === 1,
    sharedMailbox: sharedWith(row, creditedMailboxes),
  }));
}

function sharedWith(
  { mailbox, referrer_mailbox, credited }: ReviewRow,
  creditedMailboxes: ReadonlySet<string>,
): SharedMailbox | null {
  if (!mailbox) return null;
  if (referrer_mailbox && bytesKey(mailbox) === bytesKey(referrer_mailbox)) return 'referrer';
  return credited === 0 && creditedMailboxes.has(bytesKey(mailbox)) ? 'credited' : null;
}

/** Gives the credit now, or refuses it for good. A credit that a confirmation gave is taken back. */
export function decideReview(
  context: Context,
  queue: Queue,
  reviewId: string,
  decision: ReviewDecision,
): Promise<Review> {
  const id = parseId('rev', reviewId);
  if (!id) throw notFound(`there is no review ${reviewId}`);
  return changeQueue(context, queue, async (change) => {
    const { trx, now } = change;
    const row = await selectReviews(trx)
      .where('r.queue_id', '=', queue.id)
      .where('r.id', '=', id)
      .executeTakeFirst();
    if (!row || row.status === 'removed') throw notFound(`there is no review ${reviewId}`);
    if (row.decision !== null) throw conflict('this referral has already been reviewed');
    const [review] = await withMailboxes(trx, queue, [row]);
    if (!review) throw notFound(`there is no review ${reviewId}`);
    const credited = decision === 'credit' ? await creditNow(change, row) : await rejectNow(change, row);
    await trx
      .updateTable('referral_review')
      .set({ decision, decided_at: now })
      .where('queue_id', '=', queue.id)
      .where('id', '=', id)
      .execute();
    await context.audit?.(trx, {
      action: 'referral.reviewed',
      object: { kind: 'entry', id: formatId('ent', row.entry_id) },
      after: { decision },
    });
    return { ...review, decision, decidedAt: now, credited };
  });
}

/** An operator's word counts more than a confirmed email: it credits a pending entry too, and one whose mailbox is shared. */
async function creditNow(change: QueueChange, row: ReviewRow): Promise<boolean> {
  if (row.credited === 1 || row.current_referrer === null) return row.credited === 1;
  const members = await findMembersBySeq(change.trx, change.queue, [row.referrer_seq]);
  const referrer = members.find({ seq: row.referrer_seq });
  const credited = credit(change, members, referrer, {
    id: row.entry_id,
    status: 'waiting',
    mailbox: null,
  });
  if (credited) writeReferrals(change, members, [{ seq: row.seq, referrerSeq: row.referrer_seq, credited }]);
  return credited;
}

/** Without a referrer, confirming the email later credits nobody. */
async function rejectNow(change: QueueChange, row: ReviewRow): Promise<boolean> {
  await withdrawCreditFor(change, { referrer_seq: row.referrer_seq, credited: row.credited });
  await detachReferred(change, [{ seq: row.seq, depth: row.depth, created_at: row.joined }]);
  return false;
}

/** For an entry that is put back: gives the credit again that an operator gave. */
export async function creditAsReviewed(change: QueueChange, seq: number): Promise<void> {
  const row = await selectReviews(change.trx)
    .where('r.queue_id', '=', change.queue.id)
    .where('r.seq', '=', seq)
    .where('r.decision', '=', 'credit')
    .executeTakeFirst();
  if (row) await creditNow(change, row);
}
