import type { Status } from '../../../db/tables.ts';
import { oneAhead } from '../../../lib/promises.ts';
import { readEntries } from '../../entries/browse-entries.ts';
import { countEntries } from '../../entries/entries.ts';
import { type Entry, openEntries } from '../../entries/entry.ts';
import { findSegment, type Segment } from '../../entries/segment.ts';
import type { Context } from '../../queue/context.ts';
import { joinedPages, type PagedRow, type ReadJoined } from '../../queue/joined-page.ts';
import type { Queue } from '../../queue/queue.ts';

/** How many entries are read and opened at a time. */
interface ExportPages {
  size: number;
  readJoined: ReadJoined;
}

function pagesOf(size: number): ExportPages {
  return { size, readJoined: joinedPages(size) };
}

/** So few that signups to the same process hardly wait for one. */
const SERVED_PAGES = pagesOf(50);
/** In a process where nobody else waits. */
export const COMMAND_PAGES = pagesOf(500);

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
  pages = SERVED_PAGES,
): AsyncGenerator<EntriesRead> {
  const total = await countEntries(context, queue, status);
  // The database reads a page while the one before is opened.
  for await (const rows of oneAhead(readRows(context, queue, status, pages)))
    yield { entries: openEntries(context, queue, rows), total };
}

async function* readRows(
  { db }: Context,
  { id: queueId }: Queue,
  status: Status | undefined,
  { size, readJoined }: ExportPages,
): AsyncGenerator<PagedRow[]> {
  for (let after = 0; ; ) {
    const rows = await readJoined(db, { queueId, after, status });
    yield rows;
    if (rows.length < size) return;
    after = rows.at(-1)?.seq ?? after;
  }
}

/** Reads a segment in joining order, page by page. */
export async function* readSegment(
  context: Context,
  queue: Queue,
  segment: Segment,
  { size } = SERVED_PAGES,
): AsyncGenerator<Entry[]> {
  const { db } = context;
  for (let after = 0; ; ) {
    const seqs = await findSegment(db, queue, segment, { after, limit: size });
    yield await readEntries(context, queue, seqs);
    if (seqs.length < size) return;
    after = seqs.at(-1) ?? after;
  }
}
