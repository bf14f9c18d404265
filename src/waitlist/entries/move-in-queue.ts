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
 * moved anybody. Returns the new position.
 */
export async function moveInQueue(change: QueueChange, entry: MovedEntry, wanted: number): Promise<number> {
  const { trx, queue, settings, tally } = change;
  const { rank, position } = await choosePlace(change, entry, Math.min(wanted, change.waiting));
  if (rank === entry.rank) return position;
  const moved = rank - rankOf(entry.seq, settings.boost, entry.referrals);
  trx.update('entry', { key: ['queue_id', 'seq'] }, [{ queue_id: queue.id, seq: entry.seq, rank, moved }]);
  tally.leave('waiting', entry.rank);
  tally.enter('waiting', rank);
  return position;
}

interface Choice {
  rank: number;
  position: number;
}

async function choosePlace(change: QueueChange, entry: MovedEntry, position: number): Promise<Choice> {
  if (position === entry.position) return entry;
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
  const rank = ranks.find(fits);
  return rank === undefined ? nearest(change, entry, position, ranks) : { rank, position };
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
  wanted: number,
  ranks: readonly number[],
): Promise<Choice> {
  let best: Choice = entry;
  for (const rank of ranks) {
    const place = { rank, seq: entry.seq };
    const [found] = await trx.run(positionAt, { queueId: queue.id, ...place });
    const itself = isAhead(entry, place) ? 1 : 0;
    const position = (found?.position ?? 0) - itself;
    if (Math.abs(position - wanted) < Math.abs(best.position - wanted)) best = { rank, position };
  }
  return best;
}
