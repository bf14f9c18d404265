import type { Status } from '../../../db/tables.ts';
import { oneAhead } from '../../../lib/one-ahead.ts';
import { readEntries } from '../../entries/browse-entries.ts';
import { countEntries } from '../../entries/entries.ts';
import { type Entry, openEntries } from '../../entries/entry.ts';
import { findSegment, type Segment } from '../../entries/segment.ts';
import type { Context } from '../../queue/context.ts';
import { joinedPages, type PagedRow } from '../../queue/joined-page.ts';
import type { Queue } from '../../queue/queue.ts';

/** Few enough that signups to the same process hardly wait while a page is read and opened. */
const EXPORT_PAGE = 100;
const readPage = joinedPages(EXPORT_PAGE);

/** A chunk of entries, and the total to expect. */
interface EntriesRead {
  entries: Entry[];
  total: number;
}

/** Reads everyone in joining order, page by page. Includes people who join meanwhile, and nobody twice. */
export async function* readAllEntries(
  context: Context,
  queue: Queue,
  status: Status | undefined,
): AsyncGenerator<EntriesRead> {
  const total = await countEntries(context, queue, status);
  // The database reads a page while the one before is opened.
  for await (const rows of oneAhead(readRows(context, queue, status)))
    yield { entries: openEntries(context, queue, rows), total };
}

async function* readRows(
  { db }: Context,
  { id: queueId }: Queue,
  status: Status | undefined,
): AsyncGenerator<PagedRow[]> {
  for (let after = 0; ; ) {
    const rows = await readPage(db, { queueId, after, status });
    yield rows;
    if (rows.length < EXPORT_PAGE) return;
    after = rows.at(-1)?.seq ?? after;
  }
}

/** Reads a segment in joining order, page by page. */
export async function* readSegment(
  context: Context,
  queue: Queue,
  segment: Segment,
): AsyncGenerator<Entry[]> {
  const { db } = context;
  for (let after = 0; ; ) {
    const seqs = await findSegment(db, queue, segment, { after, limit: EXPORT_PAGE });
    yield await readEntries(context, queue, seqs);
    if (seqs.length < EXPORT_PAGE) return;
    after = seqs.at(-1) ?? after;
  }
}
