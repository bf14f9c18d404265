/**
 * Erasing somebody must stop what other processes hold in memory, without asking each of them. So:
 * the first byte of an attempt leaves within this time of a moment at which the database said that the claim stood
 * and the event was not erased; and an erasure that finds a claim waits this long after its commit, or until the
 * attempt is in the log. Durations of one process are compared with those of another, clocks never are.
 */
export const BEGIN_WITHIN_MS = 1_000;

/** Leave to begin an attempt, good for a moment. */
export class Permit {
  /** What the event told is gone. */
  erased = false;
  #until: number;
  #ended = false;
  readonly #ask: () => Promise<void>;

  /** `checkedAt`: before the database was asked, by the monotonic clock. */
  constructor(checkedAt: number, ask: () => Promise<void>) {
    this.#until = checkedAt + BEGIN_WITHIN_MS;
    this.#ask = ask;
  }

  /** To be asked right before the first byte is written, with nothing awaited in between. */
  readonly isGiven = (): boolean => !this.#ended && performance.now() < this.#until;

  /** Asks the database where the moment has passed; false: this attempt must not begin any more. */
  async renew(): Promise<boolean> {
    while (!this.#ended && !this.isGiven()) await this.#ask();
    return !this.#ended;
  }

  extend(checkedAt: number): void {
    this.#until = checkedAt + BEGIN_WITHIN_MS;
  }

  end(erased: boolean): void {
    this.#ended = true;
    this.erased = erased;
  }
}
