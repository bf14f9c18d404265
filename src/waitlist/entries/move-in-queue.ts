import { findPlace, nextPlace, type Place, positionAt } from '../queue/place.ts';
import type { QueueChange } from '../queue/queue-change.ts';
import { type Ranked, rankOf } from '../referrals/rank.ts';

interface MovedEntry extends Omit<Ranked, 'moved'> {
  readonly rank: number;
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
  const { rank, position } =
    wanted >= change.waiting ? theEnd(change, entry) : await choosePlace(change, entry, wanted);
  if (rank === entry.rank) return position;
  await openPlaces(change, rank);
  const moved = rank - rankOf({ ...entry, moved: 0 }, settings.boost);
  trx.update('entry', { key: ['queue_id', 'seq'] }, [{ queue_id: queue.id, seq: entry.seq, rank, moved }]);
  tally.leave('waiting', entry.rank);
  tally.enter('waiting', rank);
  return position;
}

interface Choice {
  rank: number;
  position: number;
}

/** Behind everyone who has joined, those who are not waiting now included. */
function theEnd(change: QueueChange, { rank, position }: MovedEntry): Choice {
  const end = nextPlace(change);
  const isThere = position === change.waiting && rank === end - 1;
  return { rank: isThere ? rank : end, position: change.waiting };
}

/** Whoever joins next is behind somebody with this rank. */
async function openPlaces(change: QueueChange, rank: number): Promise<void> {
  const opened = rank + 1 - nextPlace(change);
  if (opened <= 0) return;
  change.places.opened += opened;
  await change.trx
    .updateTable('queue_state')
    .set({ opened: change.places.opened })
    .where('queue_id', '=', change.queue.id)
    .execute();
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
