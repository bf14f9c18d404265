/**
 * Erasing a person must stop copies in the memory of other processes without contacting them. So an attempt
 * sends its first byte within this time after the database confirmed its claim, and an erasure that finds a
 * claim waits this long, or until the attempt is logged. Only durations are compared, never clocks.
 */
export const BEGIN_WITHIN_MS = 1_000;

/** Allows an attempt to start, for a short time. */
export class Permit {
  erased = false;
  #until: number;
  #ended = false;
  readonly #ask: () => Promise<void>;

  /** `checkedAt`: just before the database was asked, on the monotonic clock. */
  constructor(checkedAt: number, ask: () => Promise<void>) {
    this.#until = checkedAt + BEGIN_WITHIN_MS;
    this.#ask = ask;
  }

  /** Call it right before sending the first byte, without awaiting anything in between. */
  readonly isGiven = (): boolean => !this.#ended && performance.now() < this.#until;

  /** Asks the database again if the permit has run out. Returns false if this attempt must not start. */
  async renew(): Promise<boolean> {
    while (!this.#ended && !this.isGiven()) await this.#ask();
    return !this.#ended;
  }

  extend(checkedAt: number): void {
    this.#until = checkedAt + BEGIN_WITHIN_MS;
  }

  end(): void {
    this.#ended = true;
  }

  /** What it was for must not be sent by anybody. */
  endErased(): void {
    this.#ended = true;
    this.erased = true;
  }
}
