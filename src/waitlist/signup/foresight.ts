import type { QueueState } from '../queue/expected-queue.ts';

/** Queues of which this process remembers something. */
const QUEUES_MAX = 1_000;
const DOUBT_MAX = 64;

interface Remembered {
  /** In which the last batch has left, or will leave, the queue. */
  state: QueueState | undefined;
  /** How many batches do not rely on it. */
  doubt: number;
  /** The doubt after the next mistake. */
  nextDoubt: number;
}

/**
 * Knows in which state the next batch will find its queue, if nobody else changes it: then the batch need not wait for the
 * answer to its lock. Where that turns out wrong again and again, fewer and fewer batches rely on it.
 */
export class Foresight {
  readonly #queues = new Map<number, Remembered>();

  /** Undefined if it is not known, or better not relied on. */
  take(queueId: number): QueueState | undefined {
    const known = this.#queues.get(queueId);
    if (!known) return undefined;
    if (known.doubt === 0) return known.state;
    known.doubt -= 1;
    return undefined;
  }

  willBe(queueId: number, state: QueueState | undefined): void {
    const known = this.#queues.get(queueId);
    if (known) known.state = state;
    else {
      if (this.#queues.size >= QUEUES_MAX) this.#queues.clear();
      this.#queues.set(queueId, { state, doubt: 0, nextDoubt: 1 });
    }
  }

  wasRight(queueId: number): void {
    const known = this.#queues.get(queueId);
    if (known) known.nextDoubt = 1;
  }

  wasWrong(queueId: number): void {
    const known = this.#queues.get(queueId);
    if (!known) return;
    Object.assign(known, { state: undefined, doubt: known.nextDoubt });
    known.nextDoubt = Math.min(2 * known.nextDoubt, DOUBT_MAX);
  }
}
