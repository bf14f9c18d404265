import { type SelectQueryBuilder, sql } from 'kysely';
import type { Database, Trx } from '../../db/database.ts';
import type { Status, Tables } from '../../db/tables.ts';
import { parseId } from '../../lib/ids.ts';
import { METADATA_KEYS_MAX, pairsMeant } from '../people/person.ts';
import type { Queue } from '../queue/queue.ts';

/** As many as metadata has keys: nobody has more. */
export const SEGMENT_PAIRS_MAX = METADATA_KEYS_MAX;

/** Selects entries of a queue that meet all the given conditions. */
export interface Segment {
  /** Top-level `key=value` pairs of the metadata. */
  pairs?: readonly { key: string; value: string }[];
  minReferrals?: number;
  joinedBefore?: number;
  joinedAfter?: number;
  /** Id of the entry that they named as their referrer. */
  referrer?: string;
  status?: Status;
}

type Entries = SelectQueryBuilder<Tables & { e: Tables['entry'] }, 'e', object>;

/** Enough to tell a rare pair from a common one. */
const PROBE = 1_000;

/** Finds the joining sequences of a segment's entries, in joining order. */
export async function findSegment(
  db: Database,
  queue: Queue,
  segment: Segment,
  { after, limit }: { after: number; limit: number },
): Promise<number[]> {
  const { pairs = [], ...ofEntry } = segment;
  const rows =
    pairs.length > 0 && Object.keys(ofEntry).length === 0
      ? await (await selectPairs(db, db.query, queue, pairs, after)).limit(limit).execute()
      : await (await selectSegment(db, db.query, queue, segment, after))
          .select('e.seq')
          .limit(limit)
          .execute();
  return rows.map(({ seq }) => seq);
}

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
  const { pairs = [] } = segment;
  let query =
    pairs.length > 0
      ? ledByPairs(executor, await selectPairs(db, executor, queue, pairs, after))
      : ledByEntry(executor, queue, segment, after);
  if (segment.status !== undefined) query = query.where('e.status', '=', segment.status);
  if (segment.minReferrals !== undefined) query = query.where('e.referrals', '>=', segment.minReferrals);
  if (segment.joinedBefore !== undefined) query = query.where('e.created_at', '<', segment.joinedBefore);
  if (segment.joinedAfter !== undefined) query = query.where('e.created_at', '>=', segment.joinedAfter);
  if (segment.referrer !== undefined) {
    const referrer = parseId('ent', segment.referrer) ?? Buffer.alloc(0);
    query = query.where('e.referrer_seq', '=', (x) =>
      x
        .selectFrom('entry as r')
        .select('r.seq')
        .where('r.queue_id', '=', queue.id)
        .where('r.id', '=', referrer)
        .$asScalar(),
    );
  }
  return query;
}

/** Without a pair: by referrer, referrals or date if that is selective, otherwise along the joining sequence. */
function ledByEntry(executor: Database['query'], queue: Queue, segment: Segment, after: number): Entries {
  const entries = executor.selectFrom('entry as e').where('e.queue_id', '=', queue.id) as unknown as Entries;
  const narrow =
    (segment.minReferrals ?? 0) > 0 || segment.joinedAfter !== undefined || segment.referrer !== undefined;
  // The sum keeps the planner from walking the joining sequence instead of the more selective index.
  return narrow
    ? entries.where(sql<boolean>`e.seq + 0 > ${after}`).orderBy(sql`e.seq + 0`)
    : entries.where('e.seq', '>', after).orderBy('e.seq');
}

type Pairs = SelectQueryBuilder<
  Tables & { p: Tables['metadata_pair'] },
  'p',
  { seq: number; queue_id: number }
>;

function ledByPairs(executor: Database['query'], pairs: Pairs): Entries {
  return executor
    .selectFrom(pairs.clearOrderBy().as('p'))
    .innerJoin('entry as e', (join) =>
      join.onRef('e.queue_id', '=', 'p.queue_id').onRef('e.seq', '=', 'p.seq'),
    )
    .orderBy('p.seq') as unknown as Entries;
}

/** The joining sequences of entries with all of the pairs, read from the index of pairs alone. */
async function selectPairs(
  db: Database,
  executor: Database['query'],
  queue: Queue,
  pairs: NonNullable<Segment['pairs']>,
  after: number,
): Promise<Pairs> {
  const [rarest = [], ...others] = await rarestFirst(
    db,
    executor,
    queue,
    pairs.map(({ key, value }) => pairsMeant(queue.vault, key, value)),
  );
  let query = executor
    .selectFrom('metadata_pair as p')
    .select(['p.queue_id', 'p.seq'])
    .where('p.queue_id', '=', queue.id)
    .where((x) => db.in(x.ref('p.pair_hash'), rarest))
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
  return query;
}

async function rarestFirst(
  db: Database,
  executor: Database['query'],
  queue: Queue,
  pairs: Buffer[][],
): Promise<Buffer[][]> {
  if (pairs.length < 2) return pairs;
  const sized = await Promise.all(
    pairs.map(async (hashes) => ({ hashes, size: await probe(db, executor, queue, hashes) })),
  );
  return sized.sort((a, b) => a.size - b.size).map(({ hashes }) => hashes);
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
