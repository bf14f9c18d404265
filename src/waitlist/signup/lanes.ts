import { unavailable } from '../../errors.ts';

interface Waiting<J, R> {
  job: J;
  weight: number;
  since: number;
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
  /** A job that has not been begun after this time is refused, and never begun. */
  longestWaitMs: number;
  /** In milliseconds, and never set back. */
  now?(): number;
}

/**
 * Group commit. While one transaction of a lane is under way, the jobs that arrive wait and go into the next
 * one together: no timer, nothing added when idle, and one fsync for many when busy.
 */
export class Lanes<J, R> {
  readonly #options: LaneOptions<J, R>;
  readonly #lanes = new Map<number, Waiting<J, R>[]>();
  #waitingWeight = 0;
  readonly #now: () => number;
  #sweep: NodeJS.Timeout | undefined;

  constructor(options: LaneOptions<J, R>) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  submit(lane: number, job: J): Promise<R> {
    const weight = this.#options.weigh(job);
    if (this.#waitingWeight + weight > this.#options.mostWaiting) {
      return Promise.reject(tooMany());
    }
    this.#waitingWeight += weight;
    return new Promise((resolve, reject) => {
      const waiting = { job, weight, since: this.#now(), resolve, reject };
      const queue = this.#lanes.get(lane);
      if (queue) {
        queue.push(waiting);
        this.#sweep ??= this.#sweepIn(this.#options.longestWaitMs);
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
      this.#giveRoomBack(group);
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
      for (const single of group) {
        if (single.since <= this.#latestTooEarly()) single.reject(tooMany());
        else await this.#commitGroup(lane, [single]);
      }
    }
  }

  #giveRoomBack(jobs: Waiting<J, R>[]): void {
    for (const { weight } of jobs) this.#waitingWeight -= weight;
  }

  #latestTooEarly(): number {
    return this.#now() - this.#options.longestWaitMs;
  }

  #sweepIn(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.#refuseLateJobs(), ms).unref();
  }

  /** One timer for all jobs, set for the oldest: a job that is begun in time costs none. */
  #refuseLateJobs(): void {
    const tooEarly = this.#latestTooEarly();
    let oldest = Number.POSITIVE_INFINITY;
    for (const queue of this.#lanes.values()) {
      const fresh = queue.findIndex(({ since }) => since > tooEarly);
      const late = queue.splice(0, fresh < 0 ? queue.length : fresh);
      this.#giveRoomBack(late);
      for (const { reject } of late) reject(tooMany());
      oldest = Math.min(oldest, queue[0]?.since ?? oldest);
    }
    this.#sweep = oldest === Number.POSITIVE_INFINITY ? undefined : this.#sweepIn(oldest - tooEarly);
  }
}

function tooMany() {
  return unavailable('too many signups are waiting to be written: try again in a moment');
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
