import { readSync } from 'node:fs';
import { endOfTurn } from '../../../lib/promises.ts';
import { openScratch } from '../../../lib/scratch.ts';
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

interface Place {
  key: number;
  /** Its number in the file. */
  n: number;
  offset: number;
  line: number;
  /** Negative if the row must be read as a single line. */
  length: number;
}

/** Where each row is in the file, in the order of joining. In a file itself, because there may be any number of them. */
class RowIndex {
  readonly #scratch = openScratch(`
    create table row (
      key real not null, n integer not null, offset integer not null, line integer not null, length integer not null,
      primary key (key, n)
    ) strict, without rowid`);
  readonly #add = this.#scratch.prepare('insert into row values (?, ?, ?, ?, ?)');
  readonly #next = this.#scratch.prepare(
    'select key, n, offset, line, length from row where (key, n) > (?, ?) order by key, n limit ?',
  );
  #last: Pick<Place, 'key' | 'n'> = { key: Number.NEGATIVE_INFINITY, n: -1 };
  length = 0;

  add(row: RawRow, key: number): void {
    const length = Math.min(row.end - row.offset, ROW_BYTES_MAX + 1);
    this.#add.run(key, this.length, row.offset, row.line, row.alone ? -length : length);
    this.length += 1;
  }

  async skip(rows: number): Promise<void> {
    for (let left = rows; left > 0; left -= READ_ROWS) {
      this.#take(Math.min(left, READ_ROWS));
      await endOfTurn();
    }
  }

  /**
   * Reads the next rows in the sorted order. Many together, in the order of the file: an uploaded one is in sealed
   * chunks, and each would otherwise be opened again for almost every row.
   */
  async read(of: ImportSource, shape: FileShape): Promise<RawRow[]> {
    const file = withNewlines(of, shape);
    const places = this.#take(READ_ROWS, READ_TOGETHER_BYTES);
    const rows: RawRow[] = new Array(places.length);
    const inFile = [...places.entries()].sort(([, one], [, other]) => one.n - other.n);
    for (const [count, [to, { line, offset, length: size }]] of inFile.entries()) {
      const place = { line, offset, alone: size < 0 };
      const bytes = Buffer.allocUnsafe(Math.abs(size));
      // Rows are many and small: for a file, waiting would take longer than reading.
      const length =
        file.fd === undefined
          ? (await file.read(bytes, 0, bytes.length, offset)).bytesRead
          : readSync(file.fd, bytes, 0, bytes.length, offset);
      rows[to] = readRowAgain(bytes.subarray(0, length), shape, place) as RawRow;
      if (count % READ_A_TURN === READ_A_TURN - 1) await endOfTurn();
    }
    return rows;
  }

  /** At least one row, if any is left, however many bytes it has. */
  #take(rows: number, bytesMax = Number.POSITIVE_INFINITY): Place[] {
    const { key, n } = this.#last;
    const found = this.#next.all(key, n, rows) as unknown as Place[];
    let bytes = 0;
    const over = found.findIndex(({ length }, at) => {
      bytes += Math.abs(length);
      return bytes > bytesMax && at > 0;
    });
    const taken = over === -1 ? found : found.slice(0, over);
    this.#last = taken.at(-1) ?? this.#last;
    return taken;
  }

  close(): void {
    this.#scratch.close();
  }
}

/** To be closed by the caller. */
export async function indexRows(file: ImportSource, shape: FileShape, keyOf: OrderKey): Promise<RowIndex> {
  const index = new RowIndex();
  try {
    for await (const rows of readRows(file, shape, shape.first)) {
      for (const row of rows) index.add(row, keyOf(row));
    }
    return index;
  } catch (error) {
    index.close();
    throw error;
  }
}
