import { type SelectQueryBuilder, sql } from 'kysely';
import type { Database, Trx } from '../../db/database.ts';
import type { Status, Tables } from '../../db/tables.ts';
import { pairsMeant } from '../people/metadata-pairs.ts';
import type { Queue } from '../queue/directory.ts';

/** Selects entries of a queue that meet all the given conditions. */
export interface Segment {
  /** Top-level `key=value` pairs of the metadata. */
  pairs?: readonly { key: string; value: string }[];
  minReferrals?: number;
  joinedBefore?: number;
  joinedAfter?: number;
  status?: Status;
}

type Entries = SelectQueryBuilder<Tables & { e: Tables['entry'] }, 'e', object>;

/** Enough to tell a rare pair from a common one. */
const PROBE = 1_000;

/**
 * Returns the entries of a segment after the joining sequence `after`, in joining order. Starts from the most
 * selective indexed condition, so the cost depends on what is found and not on the length of the queue.
 */
export async function selectSegment(
  db: Database,
  executor: Database['query'] | Trx,
  queue: Queue,
  segment: Segment,
  after: number,
): Promise<Entries> {
  const pairs = (segment.pairs ?? []).map(({ key, value }) => pairsMeant(queue.vault, key, value));
  const led =
    pairs.length > 0
      ? await ledByPair(db, executor, queue, pairs, after)
      : ledByEntry(executor, queue, segment, after);
  let query = led;
  if (segment.status !== undefined) query = query.where('e.status', '=', segment.status);
  if (segment.minReferrals !== undefined) query = query.where('e.referrals', '>=', segment.minReferrals);
  if (segment.joinedBefore !== undefined) query = query.where('e.created_at', '<', segment.joinedBefore);
  if (segment.joinedAfter !== undefined) query = query.where('e.created_at', '>=', segment.joinedAfter);
  return query;
}

/** Without a pair: by referrals or date if that is selective, otherwise along the joining sequence. */
function ledByEntry(executor: Database['query'], queue: Queue, segment: Segment, after: number): Entries {
  const entries = executor.selectFrom('entry as e').where('e.queue_id', '=', queue.id) as unknown as Entries;
  const narrow = (segment.minReferrals ?? 0) > 0 || segment.joinedAfter !== undefined;
  // The sum keeps the planner from walking the joining sequence instead of the more selective index.
  return narrow
    ? entries.where(sql<boolean>`e.seq + 0 > ${after}`).orderBy(sql`e.seq + 0`)
    : entries.where('e.seq', '>', after).orderBy('e.seq');
}

async function ledByPair(
  db: Database,
  executor: Database['query'],
  queue: Queue,
  pairs: Buffer[][],
  after: number,
): Promise<Entries> {
  const sized = await Promise.all(
    pairs.map(async (hashes) => ({ hashes, size: await probe(db, executor, queue, hashes) })),
  );
  const [rarest, ...others] = sized.sort((a, b) => a.size - b.size).map(({ hashes }) => hashes);
  let query = executor
    .selectFrom('metadata_pair as p')
    .innerJoin('entry as e', (join) =>
      join.onRef('e.queue_id', '=', 'p.queue_id').onRef('e.seq', '=', 'p.seq'),
    )
    .where('p.queue_id', '=', queue.id)
    .where((x) => db.in(x.ref('p.pair_hash'), rarest ?? []))
    .where('p.seq', '>', after)
    .orderBy('p.seq');
  for (const hashes of others) {
    query = query.where((x) =>
      x.exists(
        x
          .selectFrom('metadata_pair as o')
          .select('o.seq')
          .whereRef('o.queue_id', '=', 'p.queue_id')
          .whereRef('o.seq', '=', 'p.seq')
          .where((y) => db.in(y.ref('o.pair_hash'), hashes)),
      ),
    );
  }
  return query as unknown as Entries;
}

async function probe(
  db: Database,
  executor: Database['query'],
  queue: Queue,
  hashes: Buffer[],
): Promise<number> {
  const rows = await executor
    .selectFrom('metadata_pair as p')
    .select('p.seq')
    .where('p.queue_id', '=', queue.id)
    .where((x) => db.in(x.ref('p.pair_hash'), hashes))
    .limit(PROBE)
    .execute();
  return rows.length;
}
