import { unavailable } from '../../errors.ts';

interface Waiting<J, R> {
  job: J;
  weight: number;
  resolve(result: R): void;
  reject(error: unknown): void;
}

export interface LaneOptions<J, R> {
  /** Does the jobs of a group in one transaction, and answers each. */
  commit(lane: number, jobs: J[]): Promise<R[]>;
  /** May a failed group be tried again job by job? */
  isolate(error: unknown): boolean;
  weigh(job: J): number;
  /** A group takes jobs up to this weight, and always at least one job. */
  groupWeight: number;
  /** Past this much waiting weight, new jobs are refused. */
  mostWaiting: number;
}

/**
 * Group commit. While one transaction of a lane is under way, the jobs that arrive wait and go into the next
 * one together: no timer, nothing added when idle, and one fsync for many when busy.
 */
export class Lanes<J, R> {
  readonly #options: LaneOptions<J, R>;
  readonly #lanes = new Map<number, Waiting<J, R>[]>();
  #waitingWeight = 0;

  constructor(options: LaneOptions<J, R>) {
    this.#options = options;
  }

  submit(lane: number, job: J): Promise<R> {
    const weight = this.#options.weigh(job);
    if (this.#waitingWeight + weight > this.#options.mostWaiting) {
      return Promise.reject(unavailable('too many signups are waiting to be written: try again in a moment'));
    }
    this.#waitingWeight += weight;
    return new Promise((resolve, reject) => {
      const waiting = { job, weight, resolve, reject };
      const queue = this.#lanes.get(lane);
      if (queue) {
        queue.push(waiting);
      } else {
        this.#lanes.set(lane, [waiting]);
        void this.#drive(lane);
      }
    });
  }

  async #drive(lane: number): Promise<void> {
    const queue = this.#lanes.get(lane) ?? [];
    while (queue.length > 0) {
      const group = takeGroup(queue, this.#options.groupWeight);
      await this.#commitGroup(lane, group);
      for (const { weight } of group) this.#waitingWeight -= weight;
    }
    this.#lanes.delete(lane);
  }

  async #commitGroup(lane: number, group: Waiting<J, R>[]): Promise<void> {
    try {
      const jobs = group.map(({ job }) => job);
      const results = await this.#options.commit(lane, jobs);
      group.forEach(({ resolve }, index) => {
        resolve(results[index] as R);
      });
    } catch (error) {
      if (group.length === 1 || !this.#options.isolate(error)) {
        for (const { reject } of group) reject(error);
        return;
      }
      for (const single of group) await this.#commitGroup(lane, [single]);
    }
  }
}

function takeGroup<T extends { weight: number }>(queue: T[], most: number): T[] {
  let weight = 0;
  let count = 0;
  for (const waiting of queue) {
    weight += waiting.weight;
    if (count > 0 && weight > most) break;
    count += 1;
  }
  return queue.splice(0, count);
}
