import type { Status } from '../../db/tables.ts';
import { bucketOf, LEVEL_SHIFTS } from './positions.ts';
import { SlotCounts } from './slot-counts.ts';

/** Collects the changes to a queue's counters, to write them once at the end of a change. */
export class Tally {
  readonly statuses = new Map<Status, number>();
  /** What happened, for the statistics. */
  readonly slots = new SlotCounts();
  /** For each level, the change of each bucket. */
  readonly #levels = LEVEL_SHIFTS.map(() => new Map<number, number>());

  enter(status: Status, rank: number): void {
    this.#add(status, rank, 1);
  }

  leave(status: Status, rank: number): void {
    this.#add(status, rank, -1);
  }

  #add(status: Status, rank: number, delta: number): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + delta);
    if (status !== 'waiting') return;
    for (const [level, deltas] of this.#levels.entries()) {
      const bucket = bucketOf(rank, level);
      deltas.set(bucket, (deltas.get(bucket) ?? 0) + delta);
    }
  }

  get buckets(): { level: number; bucket: number; delta: number }[] {
    return this.#levels
      .flatMap((deltas, level) => [...deltas].map(([bucket, delta]) => ({ level, bucket, delta })))
      .filter(({ delta }) => delta !== 0);
  }
}
