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

/**
 * Closes up the places of the next entries, in order of joining. Those who are not reached yet stay further behind, so
 * nobody passes anybody. Whoever an operator moved stays between the same two. Returns how far it came.
 */
export async function closePlaces(change: QueueChange, after: number): Promise<number> {
  const { trx, queue, lastSeq, places } = change;
  const base = await readBase(change, after);
  const rows = await readNext(change, base.seq);
  const isLast = rows.length < PLACES_AT_ONCE;
  const upTo = isLast ? lastSeq : (rows.at(-1)?.seq ?? lastSeq);
  const counted = base.seq - base.closed;
  const spots: Spot[] = [
    { seq: base.seq, before: placeOf(base), after: placeOf(base) },
    ...rows.map((row, index) => {
      const closed = row.seq - counted - index - 1;
      return { seq: row.seq, before: placeOf(row), after: placeOf({ ...row, closed }) };
    }),
  ];
  const closed = lastSeq - counted - rows.length;
  if (isLast) {
    places.closed = closed;
    const end = Number.POSITIVE_INFINITY;
    spots.push({ seq: end, before: end, after: placeOf({ seq: lastSeq + 1, ...places }) });
  }
  await writePlaces(change, rows, spots);
  await trx
    .updateTable('queue_state')
    .set(isLast ? { close_after: null, closed } : { close_after: upTo })
    .where('queue_id', '=', queue.id)
    .execute();
  return upTo;
}

async function writePlaces(change: QueueChange, rows: readonly Row[], spots: readonly Spot[]): Promise<void> {
  const { trx, queue, tally } = change;
  const moved = await readMoved(change, spots[0]?.before ?? 0, spots.at(-1)?.before ?? 0);
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
  for (const row of moved) {
    const own = changed.get(row.seq) ?? row;
    const rank = ranks.get(row.seq) ?? row.rank;
    if (rank !== row.rank) changed.set(row.seq, { ...own, rank, moved: own.moved + rank - row.rank });
  }
  const before = new Map([...rows, ...moved].map(({ seq, rank }) => [seq, rank]));
  const written = [...changed.values()].map(({ seq, status, closed, rank, moved }) => {
    tally.leave(status, before.get(seq) ?? rank);
    tally.enter(status, rank);
    return { queue_id: queue.id, seq, closed, rank, moved };
  });
  trx.update('entry', { key: ['queue_id', 'seq'] }, written);
}

type Row = Awaited<ReturnType<typeof readNext>>[number];

function entriesOf({ trx, queue }: QueueChange) {
  return trx
    .selectFrom('entry')
    .select(['seq', 'closed', 'opened', 'status', 'rank', 'moved'])
    .where('queue_id', '=', queue.id);
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

function readNext(change: QueueChange, after: number) {
  return entriesOf(change).where('seq', '>', after).orderBy('seq').limit(PLACES_AT_ONCE).execute();
}

/** Whom an operator moved to somewhere behind the first of these places, and not behind the last. */
async function readMoved(change: QueueChange, first: number, last: number): Promise<Row[]> {
  const rows = entriesOf(change)
    .where('moved', '<>', sql.lit(0)) // Not a parameter, or plans that are kept could not use the index.
    .where('rank', '>', first);
  return (Number.isFinite(last) ? rows.where('rank', '<=', last) : rows).execute();
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
