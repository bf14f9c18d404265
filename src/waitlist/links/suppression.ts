import { sql } from 'kysely';
import type { Trx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import { parseEmail, requireEmail } from '../../lib/email.ts';
import { notFound } from '../../lib/errors.ts';
import { DAY_MS } from '../../lib/time.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import type { QueueChange } from '../queue/queue-change.ts';

export const SUPPRESSION_REASONS = ['bounced', 'complained', 'unsubscribed'] as const;
type SuppressionReason = (typeof SUPPRESSION_REASONS)[number];

const findReasons = statement<{ queueId: number; hash: Uint8Array }, { reason: SuppressionReason }>(
  (db, parameter) =>
    db.query
      .selectFrom('mail_suppression')
      .select('reason')
      .where('queue_id', '=', parameter('queueId'))
      .where('email_hash', '=', parameter('hash')),
);

/**
 * Returns why this address must not get a mail, or undefined if it may. Essential mails ignore unsubscribes and
 * complaints.
 */
export async function whySuppressed(
  { db }: Context,
  queue: Queue,
  email: string,
  essential: boolean,
): Promise<SuppressionReason | undefined> {
  const rows = await db.run(findReasons, { queueId: queue.id, hash: hashOf(queue, email) });
  return rows.map(({ reason }) => reason).find((reason) => reason === 'bounced' || !essential);
}

/** Whether emails that somebody asks for are sent: not outside production, nor without an address or to one that bounced. */
export async function canBeEmailed({ db }: Context, queue: Queue, seq: number): Promise<boolean> {
  if (queue.environment !== 'production') return false;
  const entry = await db.query
    .selectFrom('entry as e')
    .leftJoin('mail_suppression as s', (join) =>
      join
        .onRef('s.queue_id', '=', 'e.queue_id')
        .onRef('s.email_hash', '=', 'e.email_hash')
        .on('s.reason', '=', 'bounced'),
    )
    .select(['e.email_hash', 's.reason as bounced'])
    .where('e.queue_id', '=', queue.id)
    .where('e.seq', '=', seq)
    .executeTakeFirst();
  return entry !== undefined && entry.email_hash !== null && entry.bounced === null;
}

/** Why an address gets no mails, or only essential ones. */
export async function suppressionsOf(
  { db }: Context,
  queue: Queue,
  email: string,
): Promise<Omit<Suppression, 'emailHash'>[]> {
  const rows = await db.query
    .selectFrom('mail_suppression')
    .select(['reason', 'created_at'])
    .where('queue_id', '=', queue.id)
    .where('email_hash', '=', hashOf(queue, email))
    .orderBy('reason')
    .execute();
  return rows.map(({ reason, created_at }) => ({ reason, since: created_at }));
}

export async function suppress(
  trx: Pick<Trx, 'insertInto'>,
  queue: Queue,
  emailHash: Uint8Array,
  reason: SuppressionReason,
  now: number,
): Promise<void> {
  await suppressAll(trx, queue, [{ emailHash }], reason, now);
}

interface SuppressedAddress {
  emailHash: Uint8Array;
  /** Whether we had emailed it. If not, a report about it is not counted. */
  isEmailed?: boolean;
}

/** Returns those that were not suppressed for this reason before. */
export async function suppressAll(
  trx: Pick<Trx, 'insertInto'>,
  queue: Queue,
  addresses: readonly SuppressedAddress[],
  reason: SuppressionReason,
  now: number,
): Promise<Uint8Array[]> {
  if (addresses.length === 0) return [];
  const rows = addresses.map(({ emailHash: email_hash, isEmailed = true }) => ({
    ...{ queue_id: queue.id, email_hash, reason, created_at: now, emailed: isEmailed ? 1 : 0 },
  }));
  const added = await trx
    .insertInto('mail_suppression')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .returning('email_hash')
    .execute();
  return added.map(({ email_hash }) => email_hash);
}

export interface Suppression {
  /** The address itself is not stored. */
  emailHash: Uint8Array;
  reason: SuppressionReason;
  since: number;
}

export async function listSuppressions({ db }: Context, queue: Queue, limit: number): Promise<Suppression[]> {
  const rows = await db.query
    .selectFrom('mail_suppression')
    .selectAll()
    .where('queue_id', '=', queue.id)
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ email_hash, reason, created_at }) => ({
    emailHash: email_hash,
    reason,
    since: created_at,
  }));
}

/** In no meaningful order: by the hash of the address. `after` is the last one of the previous page. */
export async function pageSuppressions(
  { db }: Context,
  queue: Queue,
  { limit, after }: { limit: number; after?: { hash: Uint8Array; reason: string } | undefined },
): Promise<Suppression[]> {
  let query = db.query
    .selectFrom('mail_suppression')
    .selectAll()
    .where('queue_id', '=', queue.id)
    .orderBy('email_hash')
    .orderBy('reason')
    .limit(limit);
  if (after)
    query = query.where((e) =>
      e.or([
        e('email_hash', '>', after.hash),
        e.and([e('email_hash', '=', after.hash), e(sql<string>`reason`, '>', after.reason)]),
      ]),
    );
  return (await query.execute()).map(({ email_hash, reason, created_at }) => ({
    emailHash: email_hash,
    reason,
    since: created_at,
  }));
}

export async function unsuppress(context: Context, queue: Queue, email: string): Promise<void> {
  requireEmail(email);
  await context.db.transaction(async (trx) => {
    const { numDeletedRows } = await trx
      .deleteFrom('mail_suppression')
      .where('queue_id', '=', queue.id)
      .where('email_hash', '=', hashOf(queue, email))
      .executeTakeFirst();
    if (numDeletedRows === 0n) throw notFound('this address is not suppressed');
    await forgetSoftBounces(trx, queue, hashOf(queue, email));
    const object = { kind: 'waitlist', id: queue.waitlist.id } as const;
    await context.audit?.(trx, { action: 'suppression.removed', object });
  });
}

export function hashOf({ vault }: Queue, email: string): Buffer {
  return vault.hash('email', parseEmail(email)?.key ?? email);
}

/** A mailbox that is full for a day comes back; one that refuses mail again and again does not. */
const MOST_DAYS = 3;
const WINDOW_DAYS = 14;

/**
 * Notes that emails to these addresses were refused for the time being. Counts days, so that a report that is
 * sent twice, or for each attempt, counts once. Returns the addresses that it happened to too often.
 */
export async function noteSoftBounces(
  { db }: Context,
  { trx, queue, now }: QueueChange,
  emailHashes: readonly Uint8Array[],
): Promise<Uint8Array[]> {
  if (emailHashes.length === 0) return [];
  const day = Math.floor(now / DAY_MS);
  await trx
    .insertInto('mail_soft_bounce')
    .values(emailHashes.map((email_hash) => ({ queue_id: queue.id, email_hash, day })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  // Of everyone, so that no more than those of the window are kept.
  await trx
    .deleteFrom('mail_soft_bounce')
    .where('queue_id', '=', queue.id)
    .where('day', '<=', day - WINDOW_DAYS)
    .execute();
  const rows = await trx
    .selectFrom('mail_soft_bounce')
    .select('email_hash')
    .where('queue_id', '=', queue.id)
    .where((e) => db.in(e.ref('email_hash'), emailHashes))
    .groupBy('email_hash')
    .having((e) => e.fn.countAll(), '>=', MOST_DAYS)
    .execute();
  return rows.map(({ email_hash }) => email_hash);
}

async function forgetSoftBounces(trx: Trx, queue: Queue, emailHash: Uint8Array): Promise<void> {
  await trx
    .deleteFrom('mail_soft_bounce')
    .where('queue_id', '=', queue.id)
    .where('email_hash', '=', emailHash)
    .execute();
}
