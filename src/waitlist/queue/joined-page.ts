import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import type { Dialect } from '../../db/dialect.ts';
import { statement } from '../../db/statement.ts';
import type { Status } from '../../db/tables.ts';
import type { EntryRow } from './entry-rows.ts';
import { placeInSql } from './place.ts';
import { positionOf } from './positions.ts';

/**
 * How far from their place entries can be and still have their positions counted together. The few that
 * are further away get theirs computed individually, which keeps the count short.
 */
const NEAR_RANKS = 64;

interface JoinedAfter {
  queueId: number;
  after: number;
}

export type PagedRow = EntryRow & { rank: number };

/** The first row of a page brings what the others' positions are counted from. */
interface JoinedRow extends PagedRow {
  /** The joining sequences of those who wait near the page, in the order of the queue. */
  near: string | null;
  /** How many wait ahead of them. */
  ahead: number | null;
}

export type ReadJoined = (
  db: Pick<Database, 'run'>,
  page: JoinedAfter & { status?: Status | undefined },
) => Promise<PagedRow[]>;

/**
 * Reads pages in joining order, each in one snapshot. The size is part of the query: with a parameter, PostgreSQL would
 * plan it anew for every page, which takes as long as reading it.
 */
export function joinedPages(size: number): ReadJoined {
  const all = statement<JoinedAfter, JoinedRow>((db, parameter) => pageQuery(db, parameter, { size }));
  const ofStatus = statement<JoinedAfter & { status: Status }, JoinedRow>((db, parameter) =>
    pageQuery(db, parameter, { size, condition: sql`and status = ${parameter('status')}` }),
  );
  return async (db, { status, ...page }) =>
    withPositions(await (status === undefined ? db.run(all, page) : db.run(ofStatus, { ...page, status })));
}

type Parameter = (name: keyof JoinedAfter) => RawBuilder<number>;

/** Only the page's first position is computed from the counters; the others are counted from it along the rank index. */
function pageQuery(
  db: Dialect,
  parameter: Parameter,
  { size, condition = sql`` }: { size: number; condition?: RawBuilder<unknown> },
) {
  const queueId = parameter('queueId');
  const isNear = sql`rank <= ${placeInSql()} + ${sql.lit(NEAR_RANKS)}`;
  const query = sql<JoinedRow>`
    with page as (
      select * from entry where queue_id = ${queueId} ${condition} and seq > ${parameter('after')}
      order by seq limit ${sql.lit(size)}
    ), span as (
      select min(seq) as first_seq, min(${placeInSql()}) - ${sql.lit(NEAR_RANKS)} as first_rank,
        coalesce(max(case when status = 'waiting' and ${isNear} then rank end), ${sql.lit(Number.MIN_SAFE_INTEGER)}) as last_rank
      from page
    )
    select e.seq, e.rank, e.id, e.status, e.referrals, e.person, e.created_at, e.invited_at, e.joined_at,
      r.id as referrer_id, r.person as referrer_person,
      case when e.rank < s.first_rank or e.rank > s.last_rank then ${positionOf('e', queueId)} end as position,
      case when e.seq = s.first_seq then (
        select string_agg(cast(n.seq as text), ',' order by n.rank, n.seq desc) from entry as n
        where n.queue_id = ${queueId} and n.status = 'waiting' and n.rank >= s.first_rank and n.rank <= s.last_rank
      ) end as near,
      case when e.seq = s.first_seq then (
        select ${positionOf('e', queueId)} - 1 from (select cast(${queueId} as bigint) as queue_id, s.first_rank as rank,
          ${sql.lit(Number.MAX_SAFE_INTEGER)} as seq, 'waiting' as status) as e
      ) end as ahead
    from span as s cross join page as e
    left join entry as r on e.credited = 1 and r.queue_id = ${queueId} and r.seq = e.referrer_seq
      and r.status <> 'removed'
    order by e.seq`;
  return { compile: () => query.compile(db.query) };
}

function withPositions(rows: JoinedRow[]): PagedRow[] {
  const [first] = rows;
  if (!first?.near) return rows;
  const places = new Map(first.near.split(',').map((seq, index) => [Number(seq), index + 1]));
  for (const row of rows) {
    const place = places.get(row.seq);
    if (place !== undefined) row.position = (first.ahead ?? 0) + place;
  }
  return rows;
}
