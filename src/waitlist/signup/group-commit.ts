import { unavailable } from '../../errors.ts';

/** A request that waits to be written, or is part of the batch that is. */
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
  /** May a failed batch be tried again request by request? */
  isolate(error: unknown): boolean;
  weigh(request: Request): number;
  /** A batch takes requests up to this weight, and always at least one. */
  batchWeight: number;
  /** Past this much waiting weight, new requests are refused. */
  mostWaiting: number;
  /** A request that no batch has taken after this time is refused, and never written. */
  longestWaitMs: number;
  /** In milliseconds, and never set back. */
  now?(): number;
}

/**
 * While one transaction of a queue is under way, the requests that arrive wait and go into the next batch
 * together: no timer, nothing added when idle, and one fsync for many when busy.
 */
export class GroupCommit<Request, Result> {
  readonly #options: GroupCommitOptions<Request, Result>;
  /** By queue; a queue without an entry has no transaction under way. */
  readonly #waiting = new Map<number, Member<Request, Result>[]>();
  #waitingWeight = 0;
  readonly #now: () => number;
  #refusal: NodeJS.Timeout | undefined;

  constructor(options: GroupCommitOptions<Request, Result>) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
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

  /** One timer for all requests, set for the oldest: a request that is written in time costs none. */
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
