import { sql } from 'kysely';
import { placeOf } from '../queue/place.ts';
import type { QueueChange } from '../queue/queue-change.ts';

/** Entries per transaction: a few milliseconds, so that signups do not wait long. */
export const PLACES_AT_ONCE = 2_000;

/** Whoever had this joining sequence is gone as if they had never joined: those behind have to move up. */
export async function openHole({ trx, queue }: QueueChange, seq: number): Promise<void> {
  const before = sql.lit(seq - 1);
  await trx
    .updateTable('queue_state')
    .set({ close_after: sql`case when close_after < ${before} then close_after else ${before} end` })
    .where('queue_id', '=', queue.id)
    .execute();
}

/** How far closing up came: to the end, or up to this joining sequence. */
interface Closed {
  readonly upTo: number;
  readonly isLast: boolean;
}

/**
 * Closes up the places of the next entries, in order of joining. Those who are not reached yet stay further behind, so
 * nobody passes anybody. Whoever an operator moved stays between the same two. Where many were moved to between two
 * places, they follow in steps of their own, from the front.
 */
export async function closePlaces(
  change: QueueChange,
  after: number,
  atOnce = PLACES_AT_ONCE,
): Promise<Closed> {
  const { trx, queue, lastSeq, places } = change;
  const base = await readBase(change, after);
  const all = await readNext(change, base.seq, atOnce);
  const counted = base.seq - base.closed;
  const spotOf = (row: Row, index: number): Spot => {
    const closed = row.seq - counted - index - 1;
    return { seq: row.seq, before: placeOf(row), after: placeOf({ ...row, closed }) };
  };
  const closedAtEnd = (count: number) => lastSeq - counted - count;
  const end = Number.POSITIVE_INFINITY;
  const endAfter = (count: number): Spot => {
    const after = placeOf({ seq: lastSeq + 1, ...places, closed: closedAtEnd(count) });
    return { seq: end, before: end, after };
  };
  const first = { seq: base.seq, before: placeOf(base), after: placeOf(base) };
  const [next] = all;
  const between = await readMisplaced(change, first, next ? spotOf(next, 0) : endAfter(0), atOnce);
  if (between.areMore) {
    writePlaces(change, [], { rows: [], moved: [], placed: between.placed });
    return { upTo: base.seq, isLast: false };
  }
  const found = all.length < atOnce ? end : placeOf(all.at(-1) as Row);
  const moved = next ? await readMoved(change, placeOf(next), found, atOnce) : [];
  const cut = moved[atOnce]?.rank ?? end;
  const rows = all.filter((row, index) => index === 0 || placeOf(row) < cut);
  const isLast = all.length < atOnce && cut === end;
  const spots = [first, ...rows.map(spotOf)];
  if (isLast) spots.push(endAfter(rows.length));
  const upTo = isLast ? lastSeq : (rows.at(-1)?.seq ?? lastSeq);
  const reached = moved.filter(({ rank }) => isLast || rank <= (spots.at(-1) as Spot).before);
  writePlaces(change, spots, { rows, moved: reached, placed: between.placed });
  const closed = closedAtEnd(rows.length);
  if (isLast) places.closed = closed;
  await trx
    .updateTable('queue_state')
    .set(isLast ? { close_after: null, closed } : { close_after: upTo })
    .where('queue_id', '=', queue.id)
    .execute();
  return { upTo, isLast };
}

interface Found {
  rows: readonly Row[];
  /** To these places, and in between. */
  moved: readonly Row[];
  /** Their ranks are known. */
  placed: readonly Placement[];
}

function writePlaces(change: QueueChange, spots: readonly Spot[], { rows, moved, placed }: Found): void {
  const changed = new Map<number, Row>();
  for (const [index, row] of rows.entries()) {
    const { before, after } = spots[index + 1] as Spot;
    const up = before - after;
    if (up === 0) continue;
    const keepsRank = row.moved !== 0;
    const rank = keepsRank ? row.rank : row.rank - up;
    changed.set(row.seq, { ...row, closed: row.closed + up, rank, moved: keepsRank ? row.moved + up : 0 });
  }
  const ranks = spotsAfter(spots, moved);
  const placements = [...placed, ...moved.map((row) => ({ row, rank: ranks.get(row.seq) ?? row.rank }))];
  for (const { row, rank } of placements) {
    const own = changed.get(row.seq) ?? row;
    if (rank !== row.rank) changed.set(row.seq, { ...own, rank, moved: own.moved + rank - row.rank });
  }
  const before = new Map([...rows, ...placements.map(({ row }) => row)].map(({ seq, rank }) => [seq, rank]));
  const { trx, queue, tally } = change;
  const written = [...changed.values()].map(({ seq, status, closed, rank, moved }) => {
    tally.leave(status, before.get(seq) ?? rank);
    tally.enter(status, rank);
    return { queue_id: queue.id, seq, closed, rank, moved };
  });
  trx.update('entry', { key: ['queue_id', 'seq'] }, written);
}

type Row = Awaited<ReturnType<typeof readNext>>[number];

const COLUMNS = ['seq', 'closed', 'opened', 'status', 'rank', 'moved'] as const;

function entriesOf({ trx, queue }: QueueChange) {
  return trx.selectFrom('entry').select(COLUMNS).where('queue_id', '=', queue.id);
}

/** The last one whose place is right. */
async function readBase(change: QueueChange, after: number) {
  const row = await entriesOf(change)
    .where('seq', '<=', after)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ?? { seq: 0, closed: 0, opened: 0 };
}

function readNext(change: QueueChange, after: number, atOnce: number) {
  return entriesOf(change).where('seq', '>', after).orderBy('seq').limit(atOnce).execute();
}

/** Whom an operator moved to one of these places or in between, and the first of those behind if they are too many. */
async function readMoved(change: QueueChange, first: number, last: number, atOnce: number): Promise<Row[]> {
  const moved = movedOf(change).where('rank', '>=', first);
  const upTo = Number.isFinite(last) ? moved.where('rank', '<=', last) : moved;
  const rows = await upTo
    .orderBy('rank')
    .limit(atOnce + 1)
    .execute();
  // Those at one place go with it.
  return rows[atOnce]?.rank === first ? movedOf(change).where('rank', '=', first).execute() : rows;
}

function movedOf(change: QueueChange) {
  // Not a parameter, or plans that are kept could not use the index.
  return entriesOf(change).where('moved', '<>', sql.lit(0));
}

/** The rank that somebody gets. */
interface Placement {
  readonly row: Row;
  readonly rank: number;
}

/**
 * Of those whom an operator moved in between two places, the first that are not where they belong: as `spotsAfter` says,
 * counted from the place behind, which those who are there already do not change.
 */
async function readMisplaced(
  change: QueueChange,
  ahead: Spot,
  behind: Spot,
  atOnce: number,
): Promise<{ placed: Placement[]; areMore: boolean }> {
  const gap = movedOf(change)
    .select(sql<number>`dense_rank() over (order by rank desc)`.as('from_end'))
    .where('rank', '>', ahead.before);
  const within = Number.isFinite(behind.before) ? gap.where('rank', '<', behind.before) : gap;
  const spot = sql<number>`${sql.lit(behind.after)} - from_end`;
  const noRoom = Number.isFinite(behind.seq)
    ? sql`case when seq < ${sql.lit(behind.seq)} then ${sql.lit(ahead.after)} else ${sql.lit(ahead.after + 1)} end`
    : sql.lit(ahead.after);
  const target = sql<number>`case when ${spot} > ${sql.lit(ahead.after)} then ${spot} else ${noRoom} end`;
  const misplaced = change.trx
    .selectFrom(within.as('gap'))
    .select([...COLUMNS, target.as('target')])
    .where('rank', '<>', target);
  const few = await misplaced
    .orderBy('rank')
    .limit(atOnce + 1)
    .execute();
  const last = few[atOnce];
  // Those with the same rank stay together.
  const rows = last ? await misplaced.where('rank', '<=', last.rank).execute() : few;
  return { placed: rows.map(({ target: rank, ...row }) => ({ row, rank })), areMore: last !== undefined };
}

/** A place that somebody has by joining, before and after others are closed up. */
interface Spot {
  readonly seq: number;
  readonly before: number;
  readonly after: number;
}

interface Moved {
  readonly seq: number;
  readonly rank: number;
}

/**
 * The ranks of those whom an operator moved to among these places, once the places are closed up: with the same people
 * ahead and behind. Between two places there is room for as many as were moved to the end at that time.
 */
function spotsAfter(spots: readonly Spot[], moved: readonly Moved[]): Map<number, number> {
  const gaps = new Map<number, number[]>();
  const found = new Map<number, number>();
  let at = 0;
  for (const rank of [...new Set(moved.map((each) => each.rank))].sort((a, b) => a - b)) {
    while (at < spots.length - 1 && (spots[at] as Spot).before < rank) at += 1;
    found.set(rank, at);
    if (spots[at]?.before !== rank) gaps.set(at, [...(gaps.get(at) ?? []), rank]);
  }
  return new Map(
    moved.map(({ seq, rank }) => {
      const at = found.get(rank) as number;
      const [behind, ahead] = [spots[at] as Spot, spots[at - 1] as Spot];
      const inGap = gaps.get(at) ?? [];
      if (!inGap.includes(rank)) return [seq, behind.after];
      const spot = behind.after - inGap.length + inGap.indexOf(rank);
      if (spot > ahead.after) return [seq, spot];
      // No room: equal ranks are in the order of joining, the last one first.
      return [seq, seq < behind.seq ? ahead.after : ahead.after + 1];
    }),
  );
}
