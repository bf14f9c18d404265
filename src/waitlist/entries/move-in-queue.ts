import { findPlace, type Place, positionAt } from '../queue/find-place.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { rankOf } from '../referrals/rank.ts';

interface MovedEntry extends Place {
  readonly referrals: number;
  /** As it is now. */
  readonly position: number;
}

/**
 * Moves a waiting entry to a position. The front and the end are exact. In between, an entry cannot separate
 * two of equal rank unless it joined between them; then it gets the nearest place. The distance stays when
 * referrals or the boost change the rank. Counts on the counters, so nothing else in the change may have
 * moved anybody.
 */
export async function moveInQueue(change: QueueChange, entry: MovedEntry, position: number): Promise<void> {
  const { trx, queue, settings, tally } = change;
  const rank = await chooseRank(change, entry, Math.min(position, change.waiting));
  if (rank === entry.rank) return;
  const moved = rank - rankOf(entry.seq, settings.boost, entry.referrals);
  trx.update('entry', { key: ['queue_id', 'seq'] }, [{ queue_id: queue.id, seq: entry.seq, rank, moved }]);
  tally.leave('waiting', entry.rank);
  tally.enter('waiting', rank);
}

async function chooseRank(change: QueueChange, entry: MovedEntry, position: number): Promise<number> {
  if (position === entry.position) return entry.rank;
  const before = position > 1 ? await findOther(change, entry, position - 2) : undefined;
  const behind = await findOther(change, entry, position - 1);
  const ranks = [
    ...(before ? [before.rank, before.rank + 1] : []),
    ...(behind ? [behind.rank, behind.rank - 1] : []),
  ];
  const fits = (rank: number) => {
    const place = { rank, seq: entry.seq };
    return (!before || isAhead(before, place)) && (!behind || isAhead(place, behind));
  };
  return ranks.find(fits) ?? nearest(change, entry, position, ranks);
}

/** The nth of all the others. */
function findOther(
  { trx, queue }: QueueChange,
  entry: MovedEntry,
  index: number,
): Promise<Place | undefined> {
  return findPlace(trx, queue.id, index < entry.position - 1 ? index : index + 1);
}

function isAhead(a: Place, b: Place): boolean {
  return a.rank < b.rank || (a.rank === b.rank && a.seq > b.seq);
}

async function nearest(
  { trx, queue }: QueueChange,
  entry: MovedEntry,
  position: number,
  ranks: readonly number[],
): Promise<number> {
  let best = { rank: entry.rank, distance: Math.abs(entry.position - position) };
  for (const rank of ranks) {
    const place = { rank, seq: entry.seq };
    const [found] = await trx.run(positionAt, { queueId: queue.id, ...place });
    const itself = isAhead(entry, place) ? 1 : 0;
    const distance = Math.abs((found?.position ?? 0) - itself - position);
    if (distance < best.distance) best = { rank, distance };
  }
  return best.rank;
}
