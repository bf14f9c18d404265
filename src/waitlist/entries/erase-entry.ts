import type { Status } from '../../db/tables.ts';
import { parseEmail } from '../../lib/email.ts';
import { notFound } from '../../lib/errors.ts';
import { formatId, parseId, randomBytes } from '../../lib/ids.ts';
import { eraseMessages } from '../../outbox/erase.ts';
import { hasMessageAbout } from '../../outbox/message.ts';
import { returnPlaces } from '../codes/places.ts';
import { parsePhone } from '../people/identity.ts';
import { changeQueue } from '../queue/change-queue.ts';
import { afterCommit, type Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { PLACES_AT_ONCE } from '../referrals/close-places.ts';
import { withdrawCreditFor } from '../referrals/credits.ts';
import { forgetAliases } from '../referrals/referral-alias.ts';
import { rerankStep } from '../referrals/rerank.ts';
import { eraseAnswers } from '../requests/repeated-requests.ts';
import { forgetValues } from '../statistics/forget-values.ts';
import { closeRequests } from './erasure-requests.ts';
import { removeAsNeverJoined } from './never-joined.ts';
import { forgetPairs } from './update-entry.ts';

interface Leaving {
  seq: number;
  id: Uint8Array;
  status: Status;
  rank: number;
  person: Uint8Array | null;
  email_hash: Uint8Array | null;
  phone_hash: Uint8Array | null;
  referrer_seq: number | null;
  credited: number;
  removed_at: number | null;
}

/** An entry id, an email or a phone number; or the hash of an email, if the email itself is unknown. */
type Who = string | { emailHash: Uint8Array };

interface Removed {
  /** null if the person had invites, but no entry. */
  id: Uint8Array | null;
}

interface Removal {
  /** Removes the row, too, as if the person had never joined: for bots. Those behind move up. */
  neverJoined?: boolean;
  /** Runs under the lock of the queue. If it throws, nothing is erased. */
  first?(change: QueueChange): Promise<void>;
}

/**
 * Keeps the row for the counts, and erases everything personal, including in messages. Once this resolves, no
 * instance starts sending any of it, and SQLite's files no longer contain it, unless a long read delays that
 * until the next upkeep. The same person can sign up again, as a new entry.
 */
export async function eraseEntry(
  context: Context,
  queue: Queue,
  who: Who,
  { neverJoined = false, first }: Removal = {},
): Promise<Removed> {
  const { removed, sendingOver } = await changeQueue(context, queue, async (change) => {
    await first?.(change);
    return eraseWithin(context, change, who, neverJoined);
  });
  await afterCommit(context, async ({ db }) => {
    await sendingOver();
    await db.wipeErased().catch(() => {}); // The erasure is committed. Upkeep tries the wipe again.
  });
  return removed;
}

interface Erased {
  removed: Removed;
  sendingOver(): Promise<void>;
}

async function eraseWithin(
  context: Context,
  change: QueueChange,
  who: Who,
  neverJoined: boolean,
): Promise<Erased> {
  const { queue, trx } = change;
  const entry = await findLeaving(change, who);
  const isErased = entry?.status === 'removed' && !entry.person;
  if (!entry || (isErased && !neverJoined)) return forgetAddress(context, change, who);
  const sendingOver = await shredEventsOf(context, change, {
    entryId: entry.id,
    emailHash: entry.email_hash,
  });
  if (entry.email_hash) await shredInvites(change, entry.email_hash);
  if (neverJoined) {
    const left = await leaveNoTrace(context, change, entry);
    if (!isErased) change.record({ kind: 'entry.removed', entryId: entry.id });
    return {
      removed: { id: entry.id },
      sendingOver: async () => {
        await Promise.all([sendingOver(), left.sendingOver()]);
      },
    };
  }
  await forgetValues(context, change, await forgetPairs(context, change, entry));
  await forgetImports(context, change, entry);
  await closeRequests(change, entry.seq, 'confirmed', context.actor);
  await withdrawCreditFor(change, entry);
  await returnPlaces(change, { first_seq: entry.seq, last_seq: entry.seq });
  await trx
    .updateTable('entry')
    .set({
      status: 'removed',
      removed_at: entry.removed_at ?? change.now,
      removed_from: null,
      declined_from: null,
      person: null,
      email_hash: null,
      phone_hash: null,
      mailbox_hash: null,
      credited: 0,
    })
    .where('queue_id', '=', queue.id)
    .where('seq', '=', entry.seq)
    .execute();
  change.tally.leave(entry.status, entry.rank);
  change.tally.enter('removed', entry.rank);
  if (entry.removed_at === null) change.tally.slots.add('removed', change.now);
  change.record({ kind: 'entry.removed', entryId: entry.id });
  const object = { kind: 'entry', id: formatId('ent', entry.id) } as const;
  await context.audit?.(trx, { action: 'entry.erased', object });
  return { removed: { id: entry.id }, sendingOver };
}

/** Those behind move up at once, unless they are too many for one transaction: then upkeep does it. */
async function leaveNoTrace(context: Context, change: QueueChange, entry: Leaving) {
  const { seq, id } = entry;
  await forgetImports(context, change, entry);
  const left = await removeAsNeverJoined(context, change, { first_seq: seq, last_seq: seq });
  if (change.lastSeq - seq < PLACES_AT_ONCE) await rerankStep(change);
  const object = { kind: 'entry', id: formatId('ent', id) } as const;
  await context.audit?.(change.trx, { action: 'entry.erased', object, after: { neverJoined: true } });
  return left;
}

/** Erases the invites of a person who never signed up, and messages to them. */
async function forgetAddress(context: Context, change: QueueChange, who: Who): Promise<Erased> {
  const emailHash = emailHashOf(change.queue, who);
  if (!emailHash || !(await isKnown(change, emailHash)))
    throw notFound('there is no such entry on the waitlist, and no invite or email to this address');
  const sendingOver = await shredEventsOf(context, change, { entryId: null, emailHash });
  await shredInvites(change, emailHash);
  const object = { kind: 'waitlist', id: change.queue.waitlist.id } as const;
  await context.audit?.(change.trx, { action: 'entry.erased', object });
  return { removed: { id: null }, sendingOver };
}

function emailHashOf({ vault }: Queue, who: Who): Uint8Array | undefined {
  if (typeof who !== 'string') return who.emailHash;
  const email = parseEmail(who);
  return email && vault.hash('email', email.key);
}

/** Whether there is an invite for the address, or a message to it. */
async function isKnown({ trx, queue }: QueueChange, emailHash: Uint8Array): Promise<boolean> {
  const invite = await trx
    .selectFrom('invite')
    .select('id')
    .where('queue_id', '=', queue.id)
    .where('email_hash', '=', emailHash)
    .limit(1)
    .executeTakeFirst();
  return invite !== undefined || hasMessageAbout(trx, queue.id, emailHash);
}

function findLeaving({ trx, queue }: QueueChange, who: Who): Promise<Leaving | undefined> {
  const rows = trx
    .selectFrom('entry')
    .select(['seq', 'id', 'status', 'rank', 'person', 'email_hash', 'phone_hash', 'referrer_seq', 'credited'])
    .select('removed_at')
    .where('queue_id', '=', queue.id);
  const emailHash = emailHashOf(queue, who);
  if (emailHash) return rows.where('email_hash', '=', emailHash).executeTakeFirst();
  const id = parseId('ent', who as string);
  if (id) return rows.where('id', '=', id).executeTakeFirst();
  const phone = parsePhone(who as string);
  if (phone) return rows.where('phone_hash', '=', queue.vault.hash('phone', phone)).executeTakeFirst();
  return Promise.resolve(undefined);
}

/** Codes stay recorded as revoked or accepted, but no longer say for whom. */
async function shredInvites(change: QueueChange, emailHash: Uint8Array): Promise<void> {
  const { trx, queue, now, tally } = change;
  const invites = () =>
    trx.updateTable('invite').where('queue_id', '=', queue.id).where('email_hash', '=', emailHash);
  const revoked = await invites()
    .set({ revoked_at: now })
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .returning('expired_at')
    .execute();
  for (const { expired_at } of revoked) if (expired_at === null) tally.slots.add('revoked', now);
  await invites()
    .set({
      sealed: new Uint8Array(),
      email_hash: randomBytes(32),
      accept_key_hash: null,
      accept_answer: null,
    })
    .execute();
}

/**
 * An unfinished import stores hashes of the referrers it still looks for, and their former codes. The codes,
 * who confirmed the emails, and for a day what bad rows say, also remain after the import.
 */
async function forgetImports({ db }: Context, change: QueueChange, entry: Leaving): Promise<void> {
  const { trx, queue } = change;
  const hashes = [entry.email_hash, entry.phone_hash].filter((hash) => hash !== null);
  for (const table of ['import_code', 'operator_confirmation', 'entry_decision'] as const) {
    await trx.deleteFrom(table).where('queue_id', '=', queue.id).where('seq', '=', entry.seq).execute();
  }
  await forgetAliases(change, entry.seq);
  // They are sealed as a whole: nobody can tell whether the person is in them.
  await trx.deleteFrom('import_chunk').where('queue_id', '=', queue.id).where('part', '=', 'rows').execute();
  await trx
    .deleteFrom('import_link')
    .where('queue_id', '=', queue.id)
    .where((e) => e.or([e('seq', '=', entry.seq), db.in(e.ref('hash'), hashes)]))
    .execute();
}

interface Shredded {
  entryId: Uint8Array | null;
  emailHash: Uint8Array | null;
}

/**
 * Erases every message that shows the entry or an invite to its email, or is addressed to it, and the
 * suppression and soft bounces of the address, and the kept answers of the queue. Call it while invites still have the email's hash. After the commit, call the
 * returned function: it resolves once nothing more about the person can be sent.
 */
async function shredEventsOf(
  { db }: Context,
  { trx, queue, now }: QueueChange,
  { entryId, emailHash }: Shredded,
): Promise<() => Promise<void>> {
  const invites = await trx
    .selectFrom('invite')
    .select('id')
    .where('queue_id', '=', queue.id)
    .where('email_hash', '=', emailHash)
    .execute();
  for (const table of ['mail_suppression', 'mail_soft_bounce'] as const)
    await trx
      .deleteFrom(table)
      .where('queue_id', '=', queue.id)
      .where('email_hash', '=', emailHash)
      .execute();
  await eraseAnswers(trx, queue.id);
  const forget = emailHash ? [emailHash] : [];
  const subjects = [...(entryId ? [entryId] : []), ...forget, ...invites.map(({ id }) => id)];
  return eraseMessages(db, trx, { queueId: queue.id, subjects, forget, now });
}
