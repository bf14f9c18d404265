import { sql } from 'kysely';
import { type Statement, statement } from '../../db/statement.ts';
import type { Status } from '../../db/tables.ts';
import type { Context } from '../queue/context.ts';
import { type AliasedEntries, withEntryColumns } from '../queue/entry-rows.ts';
import { joinedPages, type PagedRow } from '../queue/joined-page.ts';
import { positionOf } from '../queue/positions.ts';
import type { Queue } from '../queue/queue.ts';

/** Where a page begins: after the entry with this rank and joining sequence. */
export interface PagePlace {
  rank: number;
  seq: number;
}

interface PageToRead {
  /** At most 201. */
  limit: number;
  sort: 'joined' | 'position';
  status?: Status | undefined;
}

interface Pages {
  readonly size: number;
  readonly joined: ReturnType<typeof joinedPages>;
  readonly ranked: Statement<PagePlace & { queueId: number }, RankedRow>;
}

/** A statement of its own for each of a few sizes, with room for the row that tells whether there is a next page. */
const PAGES: readonly Pages[] = [11, 26, 51, 101, 201].map((size) => ({
  size,
  joined: joinedPages(size),
  ranked: rankedPage(size),
}));

export async function readPage(
  { db }: Context,
  { id: queueId }: Queue,
  { limit, sort, status }: PageToRead,
  after?: PagePlace,
): Promise<PagedRow[]> {
  const { joined, ranked } = PAGES.find(({ size }) => size >= limit) as Pages;
  if (sort === 'position') {
    const { rank, seq } = after ?? { rank: Number.MIN_SAFE_INTEGER, seq: 0 };
    const rows = (await db.run(ranked, { queueId, rank, seq })).slice(0, limit);
    for (const [index, row] of rows.entries()) row.position = row.first_position + index;
    return rows;
  }
  return (await joined(db, { queueId, after: after?.seq ?? 0, status })).slice(0, limit);
}

type RankedRow = PagedRow & { first_position: number };

/** Only the position of the first row is computed; the others count on from it. */
function rankedPage(size: number): Pages['ranked'] {
  return statement((db, parameter) =>
    db.query
      .with('page', (cte) =>
        cte
          .selectFrom('entry')
          .selectAll()
          .where('queue_id', '=', parameter('queueId'))
          .where('status', '=', sql.lit('waiting')) // Not a parameter, or plans that are kept could not use the index.
          .where('rank', '>=', parameter('rank'))
          .where((e) => e.or([e('rank', '>', parameter('rank')), e('seq', '<', parameter('seq'))]))
          .orderBy('rank')
          .orderBy('seq', 'desc')
          .limit(sql.lit(size)),
      )
      .selectFrom('page as e')
      .$call((query) => withEntryColumns(query as unknown as AliasedEntries, parameter('queueId')))
      .select([
        sql<null>`null`.as('position'),
        sql<number>`(select ${positionOf('e', parameter('queueId'))} from (select * from page order by rank, seq desc limit 1) as e)`.as(
          'first_position',
        ),
      ])
      .orderBy('e.rank')
      .orderBy('e.seq', 'desc'),
  );
}
