import { dissectTime, type TimeFormat, type TimeReading } from './times.ts';
import { findZone } from './zones.ts';

/** What the times of a column look like, and how sure that is. */
export interface TimesFound extends TimeReading {
  /** The first column with times. */
  column: string;
  /** Its dates can be read in two ways. */
  isFormatGuess: boolean;
  /** Nothing says which zone its times are in. */
  isZoneGuess: boolean;
}

/** Counts how the times of a column are written. */
export class TimeEvidence {
  #iso = 0;
  #words = 0;
  #seconds = 0;
  #milliseconds = 0;
  #monthFirst = 0;
  #dayFirst = 0;
  #eitherFirst = 0;
  #slashes = 0;
  #withoutZone = 0;

  add(value: unknown): void {
    const parts = dissectTime(value);
    if (!parts) return;
    const { kind, first, second, mark, zone } = parts;
    if (kind === 'unix') this.#seconds += 1;
    else if (kind === 'unix-ms') this.#milliseconds += 1;
    else {
      if (zone === '') this.#withoutZone += 1;
      if (kind === 'iso') this.#iso += 1;
      else if (kind === 'words') this.#words += 1;
      else {
        if (mark === '/') this.#slashes += 1;
        if (first > 12) this.#dayFirst += 1;
        else if (second > 12) this.#monthFirst += 1;
        else this.#eitherFirst += 1;
      }
    }
  }

  get #numbers(): number {
    return this.#monthFirst + this.#dayFirst + this.#eitherFirst;
  }

  /** `zone` is the one that the operator chose, or that the column's name has. */
  read(column: string, wanted: TimeFormat | null, zone: string | null): TimesFound {
    const isKnown = zone !== null && findZone(zone) !== undefined;
    return {
      column,
      format: wanted ?? this.#format(),
      zone: isKnown ? zone : 'UTC',
      isFormatGuess: wanted === null && this.#isAmbiguous(),
      isZoneGuess: !isKnown && this.#withoutZone > 0,
    };
  }

  #format(): TimeFormat | null {
    const counts: [TimeFormat, number][] = [
      [this.#isMonthFirst() ? 'mdy' : 'dmy', this.#numbers],
      ['iso', this.#iso],
      ['words', this.#words],
      ['unix-ms', this.#milliseconds],
      ['unix', this.#seconds],
    ];
    // Only these need to be told: others can be read in one way, also between these.
    const [numbers] = counts;
    if (numbers && numbers[1] > 0) return numbers[0];
    const [most] = counts.toSorted((a, b) => b[1] - a[1]);
    return most && most[1] > 0 ? most[0] : null;
  }

  #isMonthFirst(): boolean {
    if (this.#monthFirst !== this.#dayFirst) return this.#monthFirst > this.#dayFirst;
    return this.#slashes * 2 > this.#numbers; // Dots and hyphens are for days first.
  }

  #isAmbiguous(): boolean {
    if (this.#numbers === 0) return false;
    return (this.#monthFirst === 0) === (this.#dayFirst === 0);
  }
}
