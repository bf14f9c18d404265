import type { OperatorConfirmationTable } from '../../db/tables.ts';
import { conflict, notFound } from '../../lib/errors.ts';
import { parseId } from '../../lib/ids.ts';
import { changeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { creditReferrersOf, withdrawCreditFor } from '../referrals/credits.ts';
import { type Movable, moveEntries, standingOf } from './move-entry.ts';
import { type Segment, selectSegment } from './segment.ts';

/** Entries per transaction: enough to share a commit, few enough that signups do not wait long. */
const CHUNK = 500;

/**
 * Confirms a pending entry: it joins the queue, and its referrer is credited. Calling it again changes
 * nothing. `saidBy` names the operator who confirmed in the person's place.
 */
export function confirmEntry(
  context: Context,
  queue: Queue,
  entryId: string,
  saidBy?: string,
): Promise<{ confirmed: boolean }> {
  const id = parseId('ent', entryId);
  if (!id) throw notFound(`there is no entry ${entryId}`);
  return changeQueue(context, queue, async (change) => {
    const entry = await change.trx
      .selectFrom('entry')
      .select(['seq', 'status', 'rank', 'declined_from'])
      .where('queue_id', '=', queue.id)
      .where('id', '=', id)
      .executeTakeFirst();
    if (!entry || entry.status === 'removed') throw notFound(`there is no entry ${entryId}`);
    if (standingOf(entry) !== 'pending') return { confirmed: false };
    await confirmAll(change, [entry], saidBy);
    const object = { kind: 'entry', id: entryId } as const;
    await context.audit?.(change.trx, { action: 'entry.confirmed', object });
    return { confirmed: true };
  });
}

/**
 * Confirms the pending entries of a segment on behalf of an operator. If interrupted, run it again to
 * continue.
 */
export async function confirmSegment(
  context: Context,
  queue: Queue,
  segment: Omit<Segment, 'status'>,
  saidBy: string,
  watch: (confirmed: number) => void = () => {},
): Promise<{ confirmed: number }> {
  let confirmed = 0;
  for (let after = 0; ; ) {
    const entries = await changeQueue(context, queue, async (change) => {
      const pending = { ...segment, status: 'pending' } as const;
      const found = await (await selectSegment(context.db, change.trx, queue, pending, after))
        .select(['e.seq', 'e.status', 'e.rank'])
        .limit(CHUNK)
        .execute();
      await confirmAll(change, found, saidBy);
      const object = { kind: 'waitlist', id: queue.waitlist.id } as const;
      const counted = { entries: found.length };
      if (found.length > 0)
        await context.audit?.(change.trx, { action: 'entry.confirmed', object, after: counted });
      return found;
    });
    confirmed += entries.length;
    watch(confirmed);
    if (entries.length < CHUNK) return { confirmed };
    after = entries.at(-1)?.seq ?? after;
  }
}

export async function confirmAll(
  change: QueueChange,
  entries: readonly Movable[],
  saidBy: string | undefined,
): Promise<void> {
  if (entries.length === 0) return;
  const seqs = entries.map(({ seq }) => seq);
  const { trx, queue, now, tally } = change;
  for (const seq of seqs) change.record({ kind: 'signup.confirmed', entry: seq });
  const rows = seqs.map((seq) => ({ queue_id: queue.id, seq, confirmed_at: now }));
  trx.update('entry', { key: ['queue_id', 'seq'] }, rows);
  tally.slots.add('confirmed', now, seqs.length);
  if (saidBy !== undefined) recordConfirmations(change, seqs, 'operator', saidBy);
  const [declined, pending] = [true, false].map((is) =>
    entries.filter(({ status }) => (status === 'declined') === is),
  ) as [Movable[], Movable[]];
  await moveEntries(change, pending, 'waiting');
  if (declined.length > 0) await confirmDeclined(change, declined);
}

/** They stay declined, without being told: where they would come back to is what changes. */
async function confirmDeclined(change: QueueChange, entries: readonly Movable[]): Promise<void> {
  const rows = entries.map(({ seq }) => ({
    queue_id: change.queue.id,
    seq,
    declined_from: 'waiting' as const,
  }));
  change.trx.update('entry', { key: ['queue_id', 'seq'] }, rows);
  await creditReferrersOf(change, entries, 'waiting');
}

/** Sends a pending person another link to confirm their email. */
export async function resendConfirmation(context: Context, queue: Queue, entryId: string): Promise<void> {
  const id = parseId('ent', entryId);
  await changeQueue(context, queue, async (change) => {
    const { trx, settings } = change;
    const entry =
      id &&
      (await trx
        .selectFrom('entry')
        .select(['seq', 'status', 'email_hash'])
        .where('queue_id', '=', queue.id)
        .where('id', '=', id)
        .executeTakeFirst());
    if (!entry) throw notFound(`there is no entry ${entryId}`);
    if (entry.status !== 'pending')
      throw conflict(`this person has nothing to confirm: the entry is ${entry.status}`);
    if (entry.email_hash === null) throw conflict('this person has no email address');
    requireConfirmMails(settings);
    askAgain(change, entry.seq);
    await context.audit?.(trx, { action: 'confirmation.resent', object: { kind: 'entry', id: entryId } });
  });
}

function requireConfirmMails({ mailKinds }: QueueChange['settings']): void {
  if (!mailKinds.includes('confirm')) throw conflict('confirmation emails are turned off for this waitlist');
}

/** Nobody has confirmed this email: the entry is pending, its referrer without the credit, until somebody does. */
export async function confirmAnew(change: QueueChange, seq: number): Promise<void> {
  const { trx, queue, tally, settings } = change;
  requireConfirmMails(settings);
  const entry = await trx
    .selectFrom('entry')
    .select(['status', 'rank', 'referrer_seq', 'credited', 'confirmed_at'])
    .where('queue_id', '=', queue.id)
    .where('seq', '=', seq)
    .executeTakeFirstOrThrow();
  const { status, rank, confirmed_at } = entry;
  if (status !== 'waiting' && status !== 'pending')
    throw conflict(`status: only a waiting entry can be confirmed anew; this one is ${status}`);
  if (status === 'waiting') {
    await withdrawCreditFor(change, entry);
    const row = { queue_id: queue.id, seq, status: 'pending', credited: 0, confirmed_at: null } as const;
    trx.update('entry', { key: ['queue_id', 'seq'] }, [row]);
    tally.leave(status, rank);
    tally.enter('pending', rank);
    if (confirmed_at !== null) tally.slots.add('confirmed', confirmed_at, -1);
    await trx
      .deleteFrom('operator_confirmation')
      .where('queue_id', '=', queue.id)
      .where('seq', '=', seq)
      .execute();
  }
  askAgain(change, seq);
}

/** To whatever email the entry has now. */
export function askAgain({ record }: QueueChange, seq: number): void {
  record({ kind: 'confirmation.resent', entry: seq });
}

/** Which operator confirmed an email that its owner did not confirm here. */
export interface OperatorConfirmation {
  source: OperatorConfirmationTable['source'];
  by: string;
  at: number;
}

export function recordConfirmations(
  { trx, queue, now }: QueueChange,
  seqs: readonly number[],
  source: OperatorConfirmationTable['source'],
  saidBy: string,
): void {
  const rows = seqs.map((seq) => ({ queue_id: queue.id, seq, source, said_by: saidBy, said_at: now }));
  trx.insert('operator_confirmation', rows);
}

export async function findConfirmation(
  { db }: Context,
  queue: Queue,
  entryId: Uint8Array,
): Promise<OperatorConfirmation | null> {
  const row = await db.query
    .selectFrom('operator_confirmation as c')
    .innerJoin('entry as e', (join) =>
      join.onRef('e.queue_id', '=', 'c.queue_id').onRef('e.seq', '=', 'c.seq'),
    )
    .select(['c.source', 'c.said_by', 'c.said_at'])
    .where('e.queue_id', '=', queue.id)
    .where('e.id', '=', entryId)
    .executeTakeFirst();
  return row ? { source: row.source, by: row.said_by, at: row.said_at } : null;
}
