import { type RawBuilder, sql } from 'kysely';
import type { Dialect } from '../../db/dialect.ts';
import { type Statement, statement } from '../../db/statement.ts';
import type { Status } from '../../db/tables.ts';
import type { EntryRow } from './entry-rows.ts';
import { positionOf } from './positions.ts';

/**
 * How far from their joining sequence entries can be and still have their positions counted together. The few that
 * are further away get theirs computed individually, which keeps the count short.
 */
const NEAR_RANKS = 64;

interface PageOf {
  queueId: number;
  after: number;
}

/** Pages in joining order, read in one snapshot. */
export interface JoinedPages {
  readonly all: Statement<PageOf, PagedRow>;
  readonly ofStatus: Statement<PageOf & { status: Status }, PagedRow>;
}

export type PagedRow = EntryRow & { rank: number };

/** The size is part of the query: with a parameter, PostgreSQL would plan it anew for every page, which takes as long as reading it. */
export function joinedPages(size: number): JoinedPages {
  return {
    all: statement((db, parameter) => pageQuery(db, parameter, { size, condition: sql`` })),
    ofStatus: statement((db, parameter) =>
      pageQuery(db, parameter, { size, condition: sql`and status = ${parameter('status')}` }),
    ),
  };
}

type Parameter = (name: keyof PageOf) => RawBuilder<number>;

/**
 * Only the page's first position is computed from the counters; the others are counted from it along the rank
 * index.
 */
function pageQuery(
  db: Dialect,
  parameter: Parameter,
  { size, condition }: { size: number; condition: RawBuilder<unknown> },
) {
  const queueId = parameter('queueId');
  const query = sql<PagedRow>`
    with page as (
      select * from entry where queue_id = ${queueId} ${condition} and seq > ${parameter('after')}
      order by seq limit ${sql.lit(size)}
    ), span as (
      select min(seq) - ${sql.lit(NEAR_RANKS)} as first_rank,
        max(case when status = 'waiting' and rank <= seq + ${sql.lit(NEAR_RANKS)} then rank end) as last_rank from page
    ), ahead as (
      select ${positionOf('e')} - 1 as waiting
      from (select cast(${queueId} as bigint) as queue_id, first_rank as rank, ${sql.lit(Number.MAX_SAFE_INTEGER)} as seq, 'waiting' as status
        from span) as e
    ), near as (
      select seq, row_number() over (order by rank, seq desc) as place from entry
      where queue_id = ${queueId} and status = 'waiting'
        and rank >= (select first_rank from span) and rank <= (select last_rank from span)
    )
    select e.seq, e.rank, e.id, e.status, e.referrals, e.person, e.created_at, e.invited_at, e.joined_at,
      r.id as referrer_id, r.person as referrer_person,
      case when e.status <> 'waiting' then null
        when near.place is not null then near.place + (select waiting from ahead)
        else ${positionOf('e')} end as position
    from page as e
    left join near on near.seq = e.seq
    left join entry as r on e.credited = 1 and r.queue_id = e.queue_id and r.seq = e.referrer_seq
      and r.status <> 'removed'
    order by e.seq`;
  return { compile: () => query.compile(db.query) };
}
