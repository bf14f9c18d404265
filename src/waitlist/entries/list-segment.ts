import { invalid, notFound } from '../../lib/errors.ts';
import { parseId } from '../../lib/ids.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import { readEntries } from './browse-entries.ts';
import { PAGE_LIMIT_MAX } from './entries.ts';
import type { Entry } from './entry.ts';
import { findSegment, type Segment } from './segment.ts';

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
