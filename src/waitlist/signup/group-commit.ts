import { unavailable } from '../../lib/errors.ts';

/** A request that is waiting, or part of the batch being written. */
interface Member<Request, Result> {
  request: Request;
  weight: number;
  since: number;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

export interface GroupCommitOptions<Request, Result> {
  /** Writes the requests of a batch in one transaction, and returns the result of each. */
  commit(queueId: number, requests: Request[]): Promise<Result[]>;
  /** Whether a failed batch can be retried one request at a time. */
  isolate(error: unknown): boolean;
  weigh(request: Request): number;
  /** A batch takes requests up to this total weight, and always at least one. */
  batchWeight: number;
  /** When more weight than this is waiting, new requests are rejected. */
  mostWaiting: number;
  /** A request that has not entered a batch after this time is rejected and never written. */
  longestWaitMs: number;
  /** In milliseconds, monotonic. */
  now?(): number;
}

/**
 * While a transaction of a queue is running, new requests wait and go into the next batch together: no timer,
 * no added latency when idle, and one fsync for many requests when busy.
 */
export class GroupCommit<Request, Result> {
  readonly #options: GroupCommitOptions<Request, Result>;
  /** By queue. A queue that is not in the map has no transaction running. */
  readonly #waiting = new Map<number, Member<Request, Result>[]>();
  #waitingWeight = 0;
  readonly #now: () => number;
  #refusal: NodeJS.Timeout | undefined;

  constructor(options: GroupCommitOptions<Request, Result>) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** The total weight of requests that are not committed yet. */
  get waitingWeight(): number {
    return this.#waitingWeight;
  }

  submit(queueId: number, request: Request): Promise<Result> {
    const weight = this.#options.weigh(request);
    if (this.#waitingWeight + weight > this.#options.mostWaiting) {
      return Promise.reject(tooMany());
    }
    this.#waitingWeight += weight;
    return new Promise((resolve, reject) => {
      const member = { request, weight, since: this.#now(), resolve, reject };
      const waiting = this.#waiting.get(queueId);
      if (waiting) {
        waiting.push(member);
        this.#refusal ??= this.#refuseIn(this.#options.longestWaitMs);
      } else {
        this.#waiting.set(queueId, [member]);
        void this.#commitAll(queueId);
      }
    });
  }

  async #commitAll(queueId: number): Promise<void> {
    const waiting = this.#waiting.get(queueId) ?? [];
    while (waiting.length > 0) {
      const batch = takeBatch(waiting, this.#options.batchWeight);
      await this.#commitBatch(queueId, batch);
      this.#giveRoomBack(batch);
    }
    this.#waiting.delete(queueId);
  }

  async #commitBatch(queueId: number, batch: Member<Request, Result>[]): Promise<void> {
    try {
      const requests = batch.map(({ request }) => request);
      const results = await this.#options.commit(queueId, requests);
      batch.forEach(({ resolve }, index) => {
        resolve(results[index] as Result);
      });
    } catch (error) {
      if (batch.length === 1 || !this.#options.isolate(error)) {
        for (const { reject } of batch) reject(error);
        return;
      }
      for (const member of batch) {
        if (member.since <= this.#latestTooEarly()) member.reject(tooMany());
        else await this.#commitBatch(queueId, [member]);
      }
    }
  }

  #giveRoomBack(members: Member<Request, Result>[]): void {
    for (const { weight } of members) this.#waitingWeight -= weight;
  }

  #latestTooEarly(): number {
    return this.#now() - this.#options.longestWaitMs;
  }

  #refuseIn(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.#refuseLate(), ms).unref();
  }

  /** One timer for all requests, set for the oldest, so that requests written in time need none. */
  #refuseLate(): void {
    const tooEarly = this.#latestTooEarly();
    let oldest = Number.POSITIVE_INFINITY;
    for (const waiting of this.#waiting.values()) {
      const fresh = waiting.findIndex(({ since }) => since > tooEarly);
      const late = waiting.splice(0, fresh < 0 ? waiting.length : fresh);
      this.#giveRoomBack(late);
      for (const { reject } of late) reject(tooMany());
      oldest = Math.min(oldest, waiting[0]?.since ?? oldest);
    }
    this.#refusal = oldest === Number.POSITIVE_INFINITY ? undefined : this.#refuseIn(oldest - tooEarly);
  }
}

function tooMany() {
  return unavailable('too many signups are waiting to be written: try again in a moment');
}

function takeBatch<T extends { weight: number }>(waiting: T[], most: number): T[] {
  let weight = 0;
  let count = 0;
  for (const member of waiting) {
    weight += member.weight;
    if (count > 0 && weight > most) break;
    count += 1;
  }
  return waiting.splice(0, count);
}
