import { sql } from 'kysely';
import { invalid, notFound } from '../../lib/errors.ts';
import { parseId } from '../../lib/ids.ts';
import type { Context } from '../queue/context.ts';
import { type EntryRow, findBySeqs, selectEntries } from '../queue/entry-rows.ts';
import type { Queue } from '../queue/queue.ts';
import { type EntryPage, listEntries, openCursor, PAGE_LIMIT_MAX, type PageQuery } from './entries.ts';
import { type Entry, openEntries } from './entry.ts';
import { findSegment, type Segment } from './segment.ts';

/** Counting further would take long, and nobody reads such a number to the digit. */
const COUNTED_MAX = 10_000;

interface Browsing extends PageQuery {
  segment: Omit<Segment, 'status'>;
}

interface BrowsedPage extends Omit<EntryPage, 'total'> {
  /** null if a segment has more than 10,000. */
  total: number | null;
}

/** A page for operators: everyone, a status, or a segment. */
export async function browseEntries(
  context: Context,
  queue: Queue,
  { segment, ...query }: Browsing,
): Promise<BrowsedPage> {
  if (Object.keys(segment).length === 0) return listEntries(context, queue, query);
  if (query.sort === 'position') throw invalid('sort: a segment is listed in join order; leave it out');
  if (query.at !== undefined) throw invalid('at: cannot be combined with the conditions of a segment');
  const whole: Segment = query.status === undefined ? segment : { ...segment, status: query.status };
  const about = Buffer.from(`segment ${JSON.stringify(whole)}`);
  const after = afterCursor(queue, about, query.cursor);
  const found = await findSegment(context.db, queue, whole, { after, limit: query.limit + 1 });
  const seqs = found.slice(0, query.limit);
  const last = found.length > query.limit ? seqs.at(-1) : undefined;
  const total = await countSegment(context, queue, whole, COUNTED_MAX);
  return {
    entries: await readEntries(context, queue, seqs),
    total,
    next: last === undefined ? null : queue.vault.seal('cursor', about, { seq: last }),
  };
}

/** null if there are more than `most`. */
export async function countSegment(
  { db }: Context,
  queue: Queue,
  segment: Segment,
  most: number,
): Promise<number | null> {
  const found = await findSegment(db, queue, segment, { after: 0, limit: most + 1 });
  return found.length > most ? null : found.length;
}

/** In the order of the joining sequences given. */
export async function readEntries(context: Context, queue: Queue, seqs: readonly number[]): Promise<Entry[]> {
  const rows = await context.db.run(findBySeqs, { queueId: queue.id, seqs });
  const bySeq = new Map(rows.map((row) => [row.seq, row]));
  return openEntries(
    context,
    queue,
    seqs.flatMap((seq) => bySeq.get(seq) ?? []),
  );
}

/** The entries that someone referred, in join order. */
export async function listReferred(
  context: Context,
  queue: Queue,
  referrer: Entry,
  page: { limit: number; cursor?: Uint8Array | undefined },
): Promise<{ entries: Entry[]; next: Uint8Array | null }> {
  const about = Buffer.from(`referred by ${referrer.seq}`);
  const after = afterCursor(queue, about, page.cursor);
  const rows = await context.db.query
    .selectFrom('entry')
    .select('seq')
    .where('queue_id', '=', queue.id)
    .where('referrer_seq', '=', referrer.seq)
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(page.limit + 1)
    .execute();
  const seqs = rows.slice(0, page.limit).map(({ seq }) => seq);
  const last = rows.length > page.limit ? seqs.at(-1) : undefined;
  return {
    entries: await readEntries(context, queue, seqs),
    next: last === undefined ? null : queue.vault.seal('cursor', about, { seq: last }),
  };
}

function afterCursor(queue: Queue, about: Buffer, cursor: Uint8Array | undefined): number {
  return cursor === undefined ? 0 : openCursor<{ seq: number }>(queue, about, cursor).seq;
}

export async function readEntry(context: Context, queue: Queue, entryId: string): Promise<Entry> {
  const id = parseId('ent', entryId);
  const row = id && (await findRow(context, queue, id));
  const [entry] = row ? openEntries(context, queue, [row]) : [];
  if (!entry) throw notFound(`there is no entry ${entryId}`);
  return entry;
}

async function findRow({ db }: Context, queue: Queue, id: Uint8Array): Promise<EntryRow | undefined> {
  return selectEntries(db, sql.val(queue.id)).where('e.id', '=', id).executeTakeFirst();
}

export function isEntryId(text: string): boolean {
  return text.trim().startsWith('ent_');
}

/** Returns a page of a segment in joining order, starting after the entry with the id `after`. */
export async function listSegment(
  context: Context,
  queue: Queue,
  segment: Segment,
  page: { limit: number; after?: string | undefined },
): Promise<Entry[]> {
  const { db } = context;
  if (page.limit < 1 || page.limit > PAGE_LIMIT_MAX) throw invalid(`limit: must be 1 to ${PAGE_LIMIT_MAX}`);
  const after = page.after === undefined ? 0 : await seqOfEntry(context, queue, page.after);
  const seqs = await findSegment(db, queue, segment, { after, limit: page.limit });
  return readEntries(context, queue, seqs);
}

async function seqOfEntry({ db }: Context, queue: Queue, entryId: string): Promise<number> {
  const id = parseId('ent', entryId);
  const row =
    id &&
    (await db.query
      .selectFrom('entry')
      .select('seq')
      .where('queue_id', '=', queue.id)
      .where('id', '=', id)
      .executeTakeFirst());
  if (!row) throw notFound(`there is no entry ${entryId}`);
  return row.seq;
}

/** Others whose mail goes to the mailbox of an entry, at most `limit`, and whether there are more. */
export async function listSameMailbox(
  context: Context,
  queue: Queue,
  { seq }: Entry,
  limit: number,
): Promise<{ entries: Entry[]; more: boolean }> {
  const { db } = context;
  const ours = () =>
    db.query
      .selectFrom('entry')
      .where('queue_id', '=', queue.id)
      .select(['seq', 'email_hash', 'mailbox_hash']);
  const own = await ours().where('seq', '=', seq).executeTakeFirst();
  const mailbox = own?.mailbox_hash ?? own?.email_hash;
  if (!mailbox) return { entries: [], more: false };
  const owner = await ours().where('email_hash', '=', mailbox).execute();
  // In the order of the index: somebody can have a hundred thousand addresses.
  const aliases = await ours()
    .where('mailbox_hash', '=', mailbox)
    .orderBy('credited', 'desc')
    .limit(limit + 2)
    .execute();
  const others = [...owner, ...aliases].map((row) => row.seq).filter((other) => other !== seq);
  const shown = others.slice(0, limit).toSorted((a, b) => a - b);
  return { entries: await readEntries(context, queue, shown), more: others.length > limit };
}

export async function leaderboard(context: Context, queue: Queue, limit: number): Promise<Entry[]> {
  return openEntries(context, queue, await findLeaders(context, queue, limit));
}

export const LEADERBOARD_MAX = 1_000;

/** Most referrals first; ties go to the earlier joiner. */
async function findLeaders({ db }: Context, queue: Queue, limit: number): Promise<EntryRow[]> {
  const top = await db.query
    .selectFrom('entry')
    .select('seq')
    .where('queue_id', '=', queue.id)
    .where('referrals', '>', 0)
    .where('status', '<>', 'removed')
    .orderBy('referrals', 'desc')
    .orderBy('seq')
    .limit(Math.min(limit, LEADERBOARD_MAX))
    .execute();
  const seqs = top.map(({ seq }) => seq);
  const rows = await db.run(findBySeqs, { queueId: queue.id, seqs });
  const order = new Map(seqs.map((seq, index) => [seq, index]));
  return rows.sort((a, b) => (order.get(a.seq) ?? 0) - (order.get(b.seq) ?? 0));
}
