import type { Status } from '../../db/tables.ts';
import { bucketOf, LEVEL_SHIFTS } from './positions.ts';

/** What a change does to the counters of its queue; written once, when the change is complete. */
export class Tally {
  readonly statuses = new Map<Status, number>();
  /** For each level, by how much each of its buckets changes. */
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
