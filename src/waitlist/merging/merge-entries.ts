import type { Status } from '../../db/tables.ts';
import { conflict, invalid, notFound, Problems } from '../../lib/errors.ts';
import { formatId, newId, parseId } from '../../lib/ids.ts';
import { moveRulesOnReferrers } from '../decisions/rules.ts';
import { moveAddress, moveMessages, referredFrom } from '../entries/change-identity.ts';
import { isAbove, linkReferrer } from '../entries/change-referrer.ts';
import { type Entry, openEntry } from '../entries/entry.ts';
import { removeAsNeverJoined } from '../entries/never-joined.ts';
import { changeMetadata } from '../entries/update-entry.ts';
import { type Person, parseMetadata } from '../people/person.ts';
import { changeQueue } from '../queue/change-queue.ts';
import type { Context } from '../queue/context.ts';
import { findBySeqs } from '../queue/entry-rows.ts';
import type { Queue } from '../queue/queue.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { PLACES_AT_ONCE } from '../referrals/close-places.ts';
import { decideAgain } from '../referrals/decide-again.ts';
import { updateDepths } from '../referrals/depth.ts';
import { aliasHash, writeAliases } from '../referrals/referral-alias.ts';
import { referralCodesOf } from '../referrals/referral-code.ts';
import { rerankStep } from '../referrals/rerank.ts';

/** From the one who has come least far. */
const FURTHER: readonly Status[] = ['pending', 'waiting', 'invited', 'joined'];

/**
 * Two entries of one person become one, with the id of `into`. Its row is that of the one who joined first, because the
 * place follows from the joining sequence; the other row goes as if it had never joined.
 */
export async function mergeEntries(
  context: Context,
  queue: Queue,
  fromId: string,
  intoId: string,
): Promise<void> {
  await changeQueue(context, queue, async (change) => {
    await mergeWithin(context, change, fromId, intoId);
    await context.audit?.(change.trx, {
      action: 'entry.merged',
      object: { kind: 'entry', id: intoId },
      after: { from: fromId },
    });
  });
}

class Previewed extends Error {
  override name = 'Previewed';
  readonly entry: Entry;

  constructor(entry: Entry) {
    super('nothing was changed');
    this.entry = entry;
  }
}

/** What would become of them, without a position. */
export async function previewMerge(
  context: Context,
  queue: Queue,
  fromId: string,
  intoId: string,
): Promise<Entry> {
  const merge = changeQueue<never>({ ...context, listeners: [] }, queue, async (change) => {
    const seq = await mergeWithin(context, change, fromId, intoId);
    const [row] = await change.trx.run(findBySeqs, { queueId: queue.id, seqs: [seq] });
    if (!row) throw notFound(`there is no entry ${intoId}`);
    throw new Previewed(openEntry(queue, { ...row, position: null }));
  });
  return merge.catch((error: unknown) => {
    if (error instanceof Previewed) return error.entry;
    throw error;
  });
}

type Row = Awaited<ReturnType<typeof findRow>>;

/** Returns the joining sequence of what is left. */
async function mergeWithin(
  context: Context,
  change: QueueChange,
  fromId: string,
  intoId: string,
): Promise<number> {
  const from = await findRow(change, fromId, 'entryId');
  const into = await findRow(change, intoId, 'into');
  if (from.seq === into.seq) throw invalid('into: is the entry itself');
  const [first, second] = from.seq < into.seq ? [from, into] : [into, from];
  const merged = mergePeople(from, into);
  const referrer = await chooseReferrer(change, first, second);
  hideRow(change, second);
  writeMerged(change, { from, into, first, second }, merged);
  await moveMail(change, from, into, merged);
  const { metadata } = merged;
  await changeMetadata(context, change, first, first.stored.metadata, metadata);
  await moveTraces(change, first, second);
  await moveRulesOnReferrers(change, [first.seq, second.seq], {
    id: formatId('ent', into.id),
    seq: first.seq,
  });
  await mergeReferrals(change, { first, second, referrer, mailbox: mailboxOf(into) ?? mailboxOf(from) });
  await removeAsNeverJoined(context, change, { first_seq: second.seq, last_seq: second.seq });
  if (change.lastSeq - second.seq < PLACES_AT_ONCE) await rerankStep(change);
  const emails = [from, into].flatMap(({ id, stored: { email } }) =>
    email ? [[formatId('ent', id), email]] : [],
  );
  change.record({ kind: 'entry.updated', entry: first.seq, formerEmails: Object.fromEntries(emails) });
  change.record({ kind: 'entry.removed', entryId: from.id });
  return first.seq;
}

async function findRow({ trx, queue }: QueueChange, entryId: string, field: string) {
  const id = parseId('ent', entryId);
  const row =
    id &&
    (await trx
      .selectFrom('entry')
      .selectAll()
      .where('queue_id', '=', queue.id)
      .where('id', '=', id)
      .executeTakeFirst());
  if (!row) throw notFound(`${field}: there is no entry ${entryId}`);
  if (row.status === 'removed' || !row.person)
    throw conflict(`${field}: this entry is removed; put it back or erase it first`);
  if (row.status === 'declined')
    throw conflict(`${field}: this entry is declined; approve or reconsider it first`);
  const stored = queue.vault.open<Person>('entry.person', row.id, row.person);
  return { ...row, stored };
}

function mailboxOf({ mailbox_hash, email_hash }: Row): Uint8Array | null {
  return mailbox_hash ?? email_hash;
}

/** What `into` says counts more. */
function mergePeople({ stored: from }: Row, { stored: into }: Row): Person {
  const both = from.metadata || into.metadata ? { ...from.metadata, ...into.metadata } : undefined;
  const problems = new Problems();
  const metadata = parseMetadata(both, 'metadata', problems);
  problems.throwIfAny();
  const { byForm, ...person } = { ...from, ...into };
  return {
    ...person,
    email: into.email ?? from.email,
    phone: into.phone ?? from.phone,
    metadata,
    ...(byForm && from.byForm && into.byForm ? { byForm } : {}),
  };
}

/** Of the one who joined first, unless that would be a circle. */
async function chooseReferrer(change: QueueChange, first: Row, second: Row): Promise<number | null> {
  const both = [first.seq, second.seq];
  for (const { referrer_seq: referrer } of [first, second]) {
    if (referrer === null || both.includes(referrer)) continue;
    const isCircle =
      (await isAbove(change, first.seq, referrer)) || (await isAbove(change, second.seq, referrer));
    if (!isCircle) return referrer;
  }
  return null;
}

/** What is found by its id or address is found by what is left. */
function hideRow({ trx, queue, now }: QueueChange, { seq, stored }: Row): void {
  const id = newId(now);
  const person = queue.vault.seal('entry.person', id, stored);
  const nothing = { email_hash: null, phone_hash: null, mailbox_hash: null };
  trx.update('entry', { key: ['queue_id', 'seq'] }, [{ queue_id: queue.id, seq, id, person, ...nothing }]);
}

interface Merging {
  readonly from: Row;
  readonly into: Row;
  readonly first: Row;
  readonly second: Row;
}

function writeMerged(
  { trx, queue, tally }: QueueChange,
  { from, into, first, second }: Merging,
  person: Person,
): void {
  const addressed = into.email_hash ? into : from;
  const status = FURTHER.findLast((each) => each === from.status || each === into.status) ?? into.status;
  const confirmed_at = earliest(first.confirmed_at, second.confirmed_at);
  const advanced = Math.max(first.advanced, second.advanced);
  const rank = first.rank - (advanced - first.advanced);
  trx.update('entry', { key: ['queue_id', 'seq'] }, [
    {
      ...{ queue_id: queue.id, seq: first.seq, id: into.id, status, confirmed_at, advanced, rank },
      person: queue.vault.seal('entry.person', Buffer.from(into.id), person),
      email_hash: addressed.email_hash,
      mailbox_hash: addressed.mailbox_hash,
      addressed_at: addressed.addressed_at,
      phone_hash: into.phone_hash ?? from.phone_hash,
      invited_at: status === 'waiting' ? null : earliest(first.invited_at, second.invited_at),
      joined_at: earliest(first.joined_at, second.joined_at),
    },
  ]);
  tally.leave(first.status, first.rank);
  tally.enter(status, rank);
  if (confirmed_at === first.confirmed_at) return;
  if (first.confirmed_at !== null) tally.slots.add('confirmed', first.confirmed_at, -1);
  if (confirmed_at !== null) tally.slots.add('confirmed', confirmed_at);
}

function earliest(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}

async function moveMail(change: QueueChange, from: Row, into: Row, { email }: Person): Promise<void> {
  await moveMessages(change, from.id, into.id);
  const { email_hash: hash } = into;
  if (email && hash && from.email_hash) await moveAddress(change, from.email_hash, { email, hash });
}

/** What other tables say about the one that goes, and its referral code. */
async function moveTraces(change: QueueChange, { seq: to }: Row, { seq: from }: Row): Promise<void> {
  const { trx, queue } = change;
  for (const table of ['referral_alias', 'erasure_request', 'entry_decision', 'import_code'] as const)
    await trx
      .updateTable(table)
      .set({ seq: to })
      .where('queue_id', '=', queue.id)
      .where('seq', '=', from)
      .execute();
  writeAliases(change, [{ hash: aliasHash(queue, referralCodesOf(queue).of(from)), seq: to }]);
  const uses = await trx
    .deleteFrom('code_use')
    .where('queue_id', '=', queue.id)
    .where('seq', '=', from)
    .returningAll()
    .execute();
  trx.insert(
    'code_use',
    uses.map((use) => ({ ...use, seq: to })),
    { onConflict: 'ignore' },
  );
  const [said] = await trx
    .deleteFrom('operator_confirmation')
    .where('queue_id', '=', queue.id)
    .where('seq', '=', from)
    .returningAll()
    .execute();
  if (said) trx.insert('operator_confirmation', [{ ...said, seq: to }], { onConflict: 'ignore' });
  await trx.deleteFrom('referral_review').where('queue_id', '=', queue.id).where('seq', '=', from).execute();
  await trx
    .updateTable('referral_review')
    .set({ referrer_seq: to })
    .where('queue_id', '=', queue.id)
    .where('referrer_seq', '=', from)
    .execute();
  await leaveImports(change, to, from);
}

/** Whoever is more than what an import brought stays when it is undone. */
async function leaveImports({ trx, queue }: QueueChange, seq: number, other: number): Promise<void> {
  const ranges = await trx
    .selectFrom('import_range')
    .selectAll()
    .where('queue_id', '=', queue.id)
    .where('first_seq', '<=', seq)
    .where('last_seq', '>=', seq)
    .execute();
  for (const range of ranges) {
    const own = trx
      .selectFrom('import_range')
      .select('first_seq')
      .where('queue_id', '=', queue.id)
      .where('job_id', '=', range.job_id)
      .where('first_seq', '<=', other)
      .where('last_seq', '>=', other);
    if (await own.executeTakeFirst()) continue;
    await trx
      .deleteFrom('import_range')
      .where('queue_id', '=', queue.id)
      .where('job_id', '=', range.job_id)
      .where('first_seq', '=', range.first_seq)
      .execute();
    const parts = [
      { ...range, last_seq: seq - 1 },
      { ...range, first_seq: seq + 1 },
    ];
    trx.insert(
      'import_range',
      parts.filter(({ first_seq, last_seq }) => first_seq <= last_seq),
    );
  }
}

interface MergedReferrals {
  readonly first: Row;
  readonly second: Row;
  readonly referrer: number | null;
  readonly mailbox: Uint8Array | null;
}

/** Decides all credits again that could differ, now that two people are one. */
async function mergeReferrals(
  change: QueueChange,
  { first, second, referrer, mailbox }: MergedReferrals,
): Promise<void> {
  const { trx, queue } = change;
  const credits = decideAgain(change);
  for (const row of [first, second]) {
    const leaves = row === second || referrer !== row.referrer_seq;
    if (row.credited === 0) continue;
    if (leaves) await credits.release(row.seq);
    const former = mailboxOf(row);
    if (former) await credits.vacate(row.seq, former);
  }
  if (referrer !== first.referrer_seq) {
    await linkReferrer(change, first, referrer);
    await trx
      .deleteFrom('referral_review')
      .where('queue_id', '=', queue.id)
      .where('seq', '=', first.seq)
      .execute();
  }
  const referred = await trx
    .updateTable('entry')
    .set({ referrer_seq: first.seq })
    .where('queue_id', '=', queue.id)
    .where('referrer_seq', '=', second.seq)
    .returning(['seq', 'credited'])
    .execute();
  await updateDepths(
    change,
    referred.map(({ seq }) => seq),
  );
  await credits.adopt(first.seq, referred.filter(({ credited }) => credited === 1).length);
  const own = await referredFrom(change, first.seq, mailboxOf(first), mailboxOf(second), mailbox);
  await credits.reopen([first.seq, ...own]);
  await credits.settle();
}
