/**
 * Erasing a person must stop what other processes hold in memory, without asking each of them. So the first byte of an
 * attempt leaves within this time of a moment when the database confirmed the claim and the event was not erased; and
 * an erasure that finds a claim waits this long after its commit, or until the attempt is logged. This compares
 * durations between processes, never clocks.
 */
export const BEGIN_WITHIN_MS = 1_000;

/** Permission to begin an attempt, valid for a moment. */
export class Permit {
  /** The event was erased. */
  erased = false;
  #until: number;
  #ended = false;
  readonly #ask: () => Promise<void>;

  /** `checkedAt`: just before the database was asked, on the monotonic clock. */
  constructor(checkedAt: number, ask: () => Promise<void>) {
    this.#until = checkedAt + BEGIN_WITHIN_MS;
    this.#ask = ask;
  }

  /** Call it right before the first byte is written, with nothing awaited in between. */
  readonly isGiven = (): boolean => !this.#ended && performance.now() < this.#until;

  /** Asks the database again if the permit has run out. false: this attempt must not begin. */
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
