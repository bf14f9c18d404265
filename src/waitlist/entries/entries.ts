import { lookup, statement } from '../../db/statement.ts';
import { STATUSES, type Status } from '../../db/tables.ts';
import { parseEmail } from '../../lib/email.ts';
import { invalid, notFound } from '../../lib/errors.ts';
import { Unreadable } from '../../vault/crypto.ts';
import { parsePhone } from '../people/identity.ts';
import type { Context } from '../queue/context.ts';
import { type EntryRow, findBySeqs, selectEntries } from '../queue/entry-rows.ts';
import { findPlace } from '../queue/place.ts';
import type { Queue } from '../queue/queue.ts';
import { type Entry, openEntries, openEntry } from './entry.ts';
import { type PagePlace, readPage } from './read-page.ts';

export const SORTS = ['joined', 'position'] as const;
export type Sort = (typeof SORTS)[number];
export const PAGE_LIMIT_MAX = 200;
export const PAGE_LIMIT_DEFAULT = 50;

export interface PageQuery {
  limit: number;
  sort: Sort;
  status?: Status | undefined;
  /** The `next` of the previous page. */
  cursor?: Uint8Array | undefined;
  /** Starts with the nth entry, counted from 0. */
  at?: number | undefined;
}

export interface EntryPage {
  entries: Entry[];
  total: number;
  /** Sealed, so that it cannot be forged. null on the last page. */
  next: Uint8Array | null;
}

const BY_HASH = { queueId: 'bigint', hash: 'bytes' } as const;

const findByEmail = lookup<{ queueId: number; hash: Buffer }, EntryRow>(BY_HASH, (db, parameter) =>
  selectEntries(db, parameter('queueId')).where('e.email_hash', '=', parameter('hash')),
);

const findByPhone = lookup<{ queueId: number; hash: Buffer }, EntryRow>(BY_HASH, (db, parameter) =>
  selectEntries(db, parameter('queueId')).where('e.phone_hash', '=', parameter('hash')),
);

/** Finds an entry by email, or by phone number in international format. */
export async function findEntry({ db, log }: Context, queue: Queue, identifier: string): Promise<Entry> {
  const email = parseEmail(identifier);
  const phone = email ? undefined : parsePhone(identifier);
  const row = email
    ? await db.find(findByEmail, { queueId: queue.id, hash: queue.vault.hash('email', email.key) })
    : phone
      ? await db.find(findByPhone, { queueId: queue.id, hash: queue.vault.hash('phone', phone) })
      : undefined;
  if (!row) throw notFound('there is no entry with this email or phone on the waitlist');
  try {
    return openEntry(queue, row);
  } catch (error) {
    if (error instanceof Unreadable) log.error({ queue: queue.id }, 'cannot decrypt an entry');
    throw error;
  }
}

/** By joining sequence. An unreadable entry is found without its person. */
export async function entriesBySeq(
  context: Context,
  queue: Queue,
  seqs: readonly number[],
): Promise<Map<number, Entry>> {
  const rows = await context.db.run(findBySeqs, { queueId: queue.id, seqs: [...new Set(seqs)] });
  return new Map(openEntries(context, queue, rows).map((entry) => [entry.seq, entry]));
}

const countQueue = statement<{ queueId: number }, Record<Status, number>>((db, parameter) =>
  db.query.selectFrom('queue_state').select(STATUSES).where('queue_id', '=', parameter('queueId')),
);

export async function listEntries(context: Context, queue: Queue, query: PageQuery): Promise<EntryPage> {
  if (query.sort === 'position' && query.status !== undefined && query.status !== 'waiting') {
    throw invalid(
      `status: only waiting entries have a position; use sort=joined to list ${query.status} ones`,
    );
  }
  const after =
    query.at === undefined ? afterCursor(queue, query) : await beforeNth(context, queue, query, query.at);
  // One more than asked for, to see whether there is a next page.
  const [rows, total] = await Promise.all([
    readPage(context, queue, { ...query, limit: query.limit + 1 }, after),
    countEntries(context, queue, query.sort === 'position' ? 'waiting' : query.status),
  ]);
  const page = rows.slice(0, query.limit);
  const last = rows.length > query.limit ? page.at(-1) : undefined;
  return {
    entries: openEntries(context, queue, page),
    total,
    next: last ? sealCursor(queue, query, last) : null,
  };
}

function afterCursor(queue: Queue, query: PageQuery): PagePlace | undefined {
  if (query.cursor === undefined) return undefined;
  return openCursor<PagePlace>(queue, cursorContext(query), query.cursor);
}

async function beforeNth(
  { db }: Context,
  queue: Queue,
  { sort, status, cursor }: PageQuery,
  at: number,
): Promise<PagePlace> {
  if (cursor !== undefined) throw invalid('at: cannot be combined with cursor');
  if (sort === 'joined') {
    if (status === undefined) return { rank: 0, seq: at === 0 ? 0 : await seqOfNth(db, queue, at) };
    throw invalid('at: with sort=joined, it cannot be combined with status; use cursor to page');
  }
  const place = await findPlace(db, queue.id, at);
  return place ? { rank: place.rank, seq: place.seq + 1 } : BEYOND;
}

const readHoles = statement<
  { queueId: number },
  { undone: number; closed: number; close_after: number | null }
>((db, parameter) =>
  db.query
    .selectFrom('queue_state')
    .select(['undone', 'closed', 'close_after'])
    .where('queue_id', '=', parameter('queueId')),
);

const findFrom = statement<{ queueId: number; from: number }, { seq: number; closed: number }>(
  (db, parameter) =>
    db.query
      .selectFrom('entry')
      .select(['seq', 'closed'])
      .where('queue_id', '=', parameter('queueId'))
      .where('seq', '>=', parameter('from'))
      .orderBy('seq')
      .limit(1),
);

const findNth = statement<{ queueId: number; skip: number }, { seq: number }>((db, parameter) =>
  db.query
    .selectFrom('entry')
    .select('seq')
    .where('queue_id', '=', parameter('queueId'))
    .orderBy('seq')
    .limit(1)
    .offset(parameter('skip')),
);

/** The nth to join has the number n, unless people before are gone as if they had never joined: nothing else is. */
async function seqOfNth(db: Context['db'], { id: queueId }: Queue, n: number): Promise<number> {
  const [queue] = await db.run(readHoles, { queueId });
  if (!queue?.undone) return n;
  if (queue.close_after !== null || queue.closed !== queue.undone) {
    const [nth] = await db.run(findNth, { queueId, skip: n - 1 });
    return nth?.seq ?? Number.MAX_SAFE_INTEGER;
  }
  for (let from = n; ; ) {
    const [row] = await db.run(findFrom, { queueId, from });
    if (!row) return Number.MAX_SAFE_INTEGER;
    const nth = row.seq - row.closed;
    if (nth >= n) return row.seq;
    from = row.seq + n - nth; // Not beyond it: so many more joined by then at most.
  }
}

const BEYOND: PagePlace = { rank: Number.MAX_SAFE_INTEGER, seq: 0 };

export async function countEntries(
  { db }: Context,
  queue: Queue,
  status: Status | undefined,
): Promise<number> {
  const [counts] = await db.run(countQueue, { queueId: queue.id });
  if (!counts) return 0;
  return status ? counts[status] : STATUSES.reduce((sum, each) => sum + counts[each], 0);
}

/** Besides its queue, a cursor is bound to the query it continues. */
function cursorContext({ sort, status }: PageQuery): Buffer {
  return Buffer.from(`${sort} ${status ?? 'any'}`);
}

function sealCursor({ vault }: Queue, query: PageQuery, { rank, seq }: PagePlace): Uint8Array {
  return vault.seal('cursor', cursorContext(query), { rank, seq } satisfies PagePlace);
}

/** What a cursor says, if it was sealed for the same queue and query. */
export function openCursor<T>({ vault }: Queue, context: Buffer, cursor: Uint8Array): T {
  try {
    return vault.open<T>('cursor', context, cursor);
  } catch (error) {
    if (error instanceof Unreadable) throw invalid('cursor: is invalid or belongs to a different query');
    throw error;
  }
}
