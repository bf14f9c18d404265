import { readSync } from 'node:fs';
import { endOfTurn } from '../../../lib/promises.ts';
import { type ImportSource, type RawRow, ROW_BYTES_MAX } from './raw-row.ts';
import { type FileShape, readRowAgain, readRows, withNewlines } from './row-file.ts';

/** By joining time, by former position, or as in the file. */
export const ORDERS = ['joined', 'position', 'file'] as const;
export type Order = (typeof ORDERS)[number];

/** Lowest first. Rows without a key come last, in file order. */
export type OrderKey = (raw: RawRow) => number;

/** Whether the rows are already in order. Stops at the first one that is not. */
export async function isInOrder(file: ImportSource, shape: FileShape, keyOf: OrderKey): Promise<boolean> {
  let last = Number.NEGATIVE_INFINITY;
  for await (const rows of readRows(file, shape, shape.first)) {
    for (const row of rows) {
      const key = keyOf(row);
      if (key < last) return false;
      last = key;
    }
  }
  return true;
}

const READ_ROWS = 10_000;
const READ_TOGETHER_BYTES = 4 * 1024 * 1024;
/** Some milliseconds of work. */
const READ_A_TURN = 50;

/** Rows are numbered in the order of the file. Returns where each of them is in the list, the first in the file first. */
function inOrderOfFile(rows: Uint32Array): Uint32Array {
  const places = Uint32Array.from(rows.keys());
  return places.sort((a, b) => (rows[a] as number) - (rows[b] as number));
}

/**
 * Stores where each row is in the file: 24 bytes per row, so that files much larger than the memory can be
 * sorted.
 */
class RowIndex {
  #keys = new Float64Array(1024);
  #offsets = new Float64Array(1024);
  #lines = new Uint32Array(1024);
  /** Negative if the row must be read as a single line. */
  #lengths = new Int32Array(1024);
  #order = new Uint32Array(0);
  length = 0;

  add(row: RawRow, key: number): void {
    const at = this.length;
    if (at === this.#keys.length) this.#grow();
    this.#keys[at] = key;
    this.#offsets[at] = row.offset;
    this.#lines[at] = row.line;
    const length = Math.min(row.end - row.offset, ROW_BYTES_MAX + 1);
    this.#lengths[at] = row.alone ? -length : length;
    this.length += 1;
  }

  async sort(): Promise<void> {
    const keys = this.#keys;
    const order = new Uint32Array(this.length);
    for (let at = 0; at < order.length; at += 1) order[at] = at;
    // The difference of two infinite keys is NaN, so they also stay in file order.
    this.#order = await sortInTurns(order, (a, b) => (keys[a] as number) - (keys[b] as number) || a - b);
  }

  /**
   * Reads the next rows in the sorted order. Many together, in the order of the file: an uploaded one is in sealed
   * chunks, and each would otherwise be opened again for almost every row.
   */
  async read(of: ImportSource, shape: FileShape, from: number): Promise<RawRow[]> {
    const file = withNewlines(of, shape);
    const chosen = this.#order.subarray(from, this.#endOfRead(from));
    const rows: RawRow[] = new Array(chosen.length);
    for (const [count, to] of inOrderOfFile(chosen).entries()) {
      const at = chosen[to] as number;
      const place = {
        line: this.#lines[at] as number,
        offset: this.#offsets[at] as number,
        alone: (this.#lengths[at] as number) < 0,
      };
      const bytes = Buffer.allocUnsafe(Math.abs(this.#lengths[at] as number));
      // Rows are many and small: for a file, waiting would take longer than reading.
      const length =
        file.fd === undefined
          ? (await file.read(bytes, 0, bytes.length, place.offset)).bytesRead
          : readSync(file.fd, bytes, 0, bytes.length, place.offset);
      rows[to] = readRowAgain(bytes.subarray(0, length), shape, place) as RawRow;
      if (count % READ_A_TURN === READ_A_TURN - 1) await endOfTurn();
    }
    return rows;
  }

  #endOfRead(from: number): number {
    const most = Math.min(from + READ_ROWS, this.length);
    let bytes = 0;
    for (let to = from; to < most; to += 1) {
      bytes += Math.abs(this.#lengths[this.#order[to] as number] as number);
      if (bytes > READ_TOGETHER_BYTES) return Math.max(to, from + 1);
    }
    return most;
  }

  #grow(): void {
    const copy = <T extends { set(from: T): void }>(old: T, fresh: T): T => {
      fresh.set(old);
      return fresh;
    };
    const size = this.length * 2;
    this.#keys = copy(this.#keys, new Float64Array(size));
    this.#offsets = copy(this.#offsets, new Float64Array(size));
    this.#lines = copy(this.#lines, new Uint32Array(size));
    this.#lengths = copy(this.#lengths, new Int32Array(size));
  }
}

export async function indexRows(file: ImportSource, shape: FileShape, keyOf: OrderKey): Promise<RowIndex> {
  const index = new RowIndex();
  for await (const rows of readRows(file, shape, shape.first)) {
    for (const row of rows) index.add(row, keyOf(row));
  }
  await index.sort();
  return index;
}

/** Some milliseconds of work. */
const ITEMS_A_TURN = 4_096;

/** Sorts millions of numbers by merging ever longer runs, and others get a turn in between. Equal ones keep their order. */
async function sortInTurns(
  numbers: Uint32Array<ArrayBuffer>,
  compare: (a: number, b: number) => number,
): Promise<Uint32Array<ArrayBuffer>> {
  const { length } = numbers;
  for (let from = 0; from < length; from += ITEMS_A_TURN) {
    numbers.subarray(from, from + ITEMS_A_TURN).sort(compare);
    await endOfTurn();
  }
  let sorted = numbers;
  let other = new Uint32Array(length);
  for (let run = ITEMS_A_TURN; run < length; run *= 2) {
    for (let from = 0; from < length; from += 2 * run) {
      const [middle, end] = [Math.min(from + run, length), Math.min(from + 2 * run, length)];
      let [left, right] = [from, middle];
      for (let to = from; to < end; to += 1) {
        const takesLeft =
          left < middle && (right === end || compare(sorted[left] as number, sorted[right] as number) <= 0);
        other[to] = sorted[takesLeft ? left++ : right++] as number;
        if (to % (8 * ITEMS_A_TURN) === 0) await endOfTurn();
      }
    }
    [sorted, other] = [other, sorted];
  }
  return sorted;
}
