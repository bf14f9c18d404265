import { localSum, type Sum } from '../../lib/counts.ts';
import { unavailable } from '../../lib/errors.ts';

/** A request that is waiting, or part of the batch being written. */
interface Member<Request, Result> {
  request: Request;
  weight: number;
  since: number;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** What is waiting for one queue, and what is being written. */
interface QueueWork<Request, Result> {
  readonly waiting: Member<Request, Result>[];
  /** The batches being written, at most two. */
  readonly writing: (readonly Member<Request, Result>[])[];
  /** Whether the last of them has its lock, so that the next one can queue up for it. */
  locked: boolean;
}

export interface GroupCommitOptions<Request, Result> {
  /**
   * Writes the requests of a batch in one transaction, and returns the result of each. If it calls `locked` when it has
   * the queue's lock, the next batch may start and wait for that lock.
   */
  commit(queueId: number, requests: Request[], locked: () => void): Promise<Result[]>;
  /** Whether a failed batch can be retried one request at a time. */
  isolate(error: unknown): boolean;
  weigh(request: Request): number;
  /**
   * A batch takes requests up to a total weight, and always at least one: half of what is not committed yet, so that the
   * other half can be answered and sent again meanwhile, but within these bounds.
   */
  batchWeight: { least: number; most: number };
  /** When more weight than this is waiting, new requests are rejected. */
  mostWaiting: number;
  /** Where the waiting weight is counted, together with that of others. */
  waiting?: Sum;
  /** A request that has not entered a batch after this time is rejected and never written. */
  longestWaitMs: number;
  /** In milliseconds, monotonic. */
  now?(): number;
}

/**
 * While a transaction of a queue is running, new requests wait and go into the next batch together: no timer,
 * no added latency when idle, and one fsync for many requests when busy. At most one batch queues up behind the one
 * that is being committed, so that the database need not wait for this process in between.
 */
export class GroupCommit<Request, Result> {
  readonly #options: GroupCommitOptions<Request, Result>;
  /** By queue. A queue that is not in the map has no transaction running. */
  readonly #queues = new Map<number, QueueWork<Request, Result>>();
  readonly #waiting: Sum;
  readonly #now: () => number;
  #refusal: NodeJS.Timeout | undefined;

  constructor(options: GroupCommitOptions<Request, Result>) {
    this.#options = options;
    this.#waiting = options.waiting ?? localSum();
    this.#now = options.now ?? (() => performance.now());
  }

  /** The total weight of requests that are not committed yet. */
  get waitingWeight(): number {
    return this.#waiting.value;
  }

  submit(queueId: number, request: Request): Promise<Result> {
    const weight = this.#options.weigh(request);
    if (!this.#waiting.add(weight, this.#options.mostWaiting)) return Promise.reject(tooMany());
    return new Promise((resolve, reject) => {
      const member = { request, weight, since: this.#now(), resolve, reject };
      const work = this.#queues.get(queueId) ?? this.#openQueue(queueId);
      work.waiting.push(member);
      this.#startBatch(queueId, work);
      if (work.waiting.length > 0) this.#refusal ??= this.#refuseIn(this.#options.longestWaitMs);
    });
  }

  #openQueue(queueId: number): QueueWork<Request, Result> {
    const work = { waiting: [], writing: [], locked: false };
    this.#queues.set(queueId, work);
    return work;
  }

  #startBatch(queueId: number, work: QueueWork<Request, Result>): void {
    if (work.waiting.length > 0 && (work.writing.length === 0 || this.#canQueueUp(work)))
      void this.#commit(queueId, work, takeBatch(work.waiting, this.#nextWeight(work)));
  }

  #nextWeight({ waiting, writing }: QueueWork<Request, Result>): number {
    const { least, most } = this.#options.batchWeight;
    return Math.min(Math.max(least, weightOf([...writing.flat(), ...waiting]) / 2), most);
  }

  /**
   * Not with less than what is being written, because small batches cost more. And not while other queues are
   * written: that keeps the database busy, and connections are for those who can use them.
   */
  #canQueueUp({ waiting, writing, locked }: QueueWork<Request, Result>): boolean {
    const [ahead = []] = writing;
    if (!locked || writing.length > 1 || this.#queues.size > 1) return false;
    return weightOf(waiting) >= weightOf(ahead);
  }

  async #commit(
    queueId: number,
    work: QueueWork<Request, Result>,
    batch: Member<Request, Result>[],
  ): Promise<void> {
    work.writing.push(batch);
    work.locked = false;
    await this.#commitBatch(queueId, batch, () => {
      if (work.writing.at(-1) !== batch) return; // It ran again.
      work.locked = true;
      this.#startBatch(queueId, work);
    });
    work.writing.splice(work.writing.indexOf(batch), 1);
    this.#giveRoomBack(batch);
    this.#startBatch(queueId, work);
    if (work.writing.length === 0) this.#queues.delete(queueId);
  }

  async #commitBatch(
    queueId: number,
    batch: Member<Request, Result>[],
    locked: () => void = () => {},
  ): Promise<void> {
    try {
      const requests = batch.map(({ request }) => request);
      const results = await this.#options.commit(queueId, requests, locked);
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
    this.#waiting.add(-weightOf(members));
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
    for (const { waiting } of this.#queues.values()) {
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

function weightOf(members: readonly { weight: number }[]): number {
  return members.reduce((sum, { weight }) => sum + weight, 0);
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
