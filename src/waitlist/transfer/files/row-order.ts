import { readSync } from 'node:fs';
import { type ImportSource, type RawRow, ROW_BYTES_MAX } from './raw-row.ts';
import { type FileShape, readRowAgain, readRows, withNewlines } from './row-file.ts';
import { sortInTurns } from './sort-in-turns.ts';

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

  /** Reads rows by their index in the sorted order. */
  async read(of: ImportSource, shape: FileShape, from: number, to: number): Promise<RawRow[]> {
    const file = withNewlines(of, shape);
    const places = Array.from(this.#order.subarray(from, to), (at) => ({
      line: this.#lines[at] as number,
      offset: this.#offsets[at] as number,
      length: Math.abs(this.#lengths[at] as number),
      alone: (this.#lengths[at] as number) < 0,
    }));
    const pieces: Buffer[] = [];
    for (const { offset, length } of places) {
      const bytes = Buffer.allocUnsafe(length);
      // Rows are many and small: for a file, waiting would take longer than reading.
      const count =
        file.fd === undefined
          ? (await file.read(bytes, 0, length, offset)).bytesRead
          : readSync(file.fd, bytes, 0, length, offset);
      pieces.push(bytes.subarray(0, count));
    }
    return places.map((place, at) => readRowAgain(pieces[at] as Buffer, shape, place) as RawRow);
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
