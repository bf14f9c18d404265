import { type RawBuilder, sql } from 'kysely';
import type { Database, Trx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import { LEVEL_SHIFTS, positionOf } from './positions.ts';
import type { QueueChange } from './queue-change.ts';

/** What the place of an entry follows from. */
export interface Placed {
  readonly seq: number;
  /** Joining sequences before it that nobody has any more. */
  readonly closed: number;
  /** Places before it that were opened for those whom an operator moved to the end. */
  readonly opened: number;
}

/** Where somebody joined among those who count. The joining sequence says who it is, and is never used again. */
export function placeOf({ seq, closed, opened }: Placed): number {
  return seq - closed + opened;
}

export function placeInSql(alias?: string): RawBuilder<number> {
  const column = (name: keyof Placed) => sql.ref(alias === undefined ? name : `${alias}.${name}`);
  return sql`${column('seq')} - ${column('closed')} + ${column('opened')}`;
}

/** Where the next one to join is placed: behind everyone who has joined. */
export function nextPlace({ lastSeq, places }: Pick<QueueChange, 'lastSeq' | 'places'>): number {
  return placeOf({ seq: lastSeq + 1, ...places });
}

export interface Place {
  rank: number;
  seq: number;
}

/**
 * Finds the range of 32 ranks with the nth waiting entry, and how many wait ahead of it: from the widest
 * ranges to the narrowest, with at most 32 counters at each level below the widest. Not with joins: in a long queue,
 * PostgreSQL would read every counter of the lowest level to save a sort.
 */
const findRange = statement<{ queueId: number; index: number }, { bucket: number; ahead: number }>(
  (db, parameter) => {
    const [queueId, index] = [parameter('queueId'), parameter('index')];
    const levels = LEVEL_SHIFTS.map((_, level) => level).toReversed();
    const steps = levels.map((level, step) => {
      const wider = levels[step - 1];
      const found = (column: 'bucket' | 'ahead') =>
        wider === undefined ? sql`0` : sql`(select ${sql.ref(column)} from ${table(wider)})`;
      const within =
        wider === undefined
          ? sql``
          : sql`and c.bucket >= ${found('bucket')} * ${width(level)} and c.bucket < (${found('bucket')} + 1) * ${width(level)}`;
      return sql`${table(level)} as materialized (
        select bucket, ahead from (
          select c.bucket, c.waiting,
            cast(${found('ahead')} + sum(c.waiting) over (order by c.bucket) - c.waiting as bigint) as ahead
          from rank_count as c where c.queue_id = ${queueId} and c.level = ${sql.lit(level)} ${within}
        ) as counted where ahead <= ${index} and ahead + waiting > ${index}
      )`;
    });
    const query = sql<{ bucket: number; ahead: number }>`with ${sql.join(steps)}
      select bucket, ahead from ${table(0)}`;
    return { compile: () => query.compile(db.query) };
  },
);

function table(level: number) {
  return sql.table(`level_${level}`);
}

/** How many ranges of this level make one of the next. */
function width(level: number) {
  const [narrow = 0, wide = 0] = LEVEL_SHIFTS.slice(level, level + 2);
  return sql.lit(2 ** (wide - narrow));
}

const findInRange = statement<{ queueId: number; rank: number; skip: number }, Place>((db, parameter) =>
  db.query
    .selectFrom('entry')
    .select(['rank', 'seq'])
    .where('queue_id', '=', parameter('queueId'))
    .where('status', '=', sql.lit('waiting')) // Not a parameter, or plans that are kept could not use the index.
    .where('rank', '>=', parameter('rank'))
    .orderBy('rank')
    .orderBy('seq', 'desc')
    .limit(1)
    .offset(parameter('skip')),
);

/** The nth waiting entry, counted from 0, at a cost that does not depend on n. */
export async function findPlace(
  db: Pick<Database | Trx, 'run'>,
  queueId: number,
  index: number,
): Promise<Place | undefined> {
  const [range] = await db.run(findRange, { queueId, index });
  if (!range) return undefined;
  const rank = range.bucket * 2 ** LEVEL_SHIFTS[0];
  const [place] = await db.run(findInRange, { queueId, rank, skip: index - range.ahead });
  return place;
}

/** The position that an entry would have, if one with this rank and joining sequence came in addition. */
export const positionAt = statement<{ queueId: number } & Place, { position: number }>((db, parameter) => {
  const query = sql<{ position: number }>`select ${positionOf('e', parameter('queueId'))} as position
    from (select cast(${parameter('queueId')} as bigint) as queue_id, cast(${parameter('rank')} as bigint) as rank,
      cast(${parameter('seq')} as bigint) as seq, 'waiting' as status) as e`;
  return { compile: () => query.compile(db.query) };
});
