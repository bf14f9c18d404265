import { readSync } from 'node:fs';
import { randomBytes } from '../../../lib/ids.ts';
import { endOfTurn } from '../../../lib/promises.ts';
import { openScratch } from '../../../lib/scratch.ts';
import { KEY_BYTES, open, seal, sealingKey } from '../../../vault/crypto.ts';
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

const READ_ROWS = 1_000;
const READ_TOGETHER_BYTES = 4 * 1024 * 1024;
/** Some milliseconds of work. */
const READ_A_TURN = 50;
const NOTHING = Buffer.alloc(0);

interface Place {
  key: number;
  /** Its number in the file. */
  n: number;
  offset: number;
  line: number;
  /** Negative if the row must be read as a single line. */
  length: number;
  /** Its bytes, if the file cannot be read without waiting. */
  sealed: Buffer | null;
}

/** The rows of a file in the order of joining. In a file itself, because there may be any number of them. */
class RowIndex {
  readonly #scratch = openScratch(`
    create table row (
      key real not null, n integer not null, offset integer not null, line integer not null, length integer not null, sealed blob,
      primary key (key, n)
    ) strict, without rowid`);
  readonly #add = this.#scratch.prepare('insert into row values (?, ?, ?, ?, ?, ?)');
  readonly #next = this.#scratch.prepare(
    'select key, n, offset, line, length, sealed from row where (key, n) > (?, ?) order by key, n limit ?',
  );
  /** Only this process can open what is in the file. */
  readonly #key = sealingKey(randomBytes(KEY_BYTES));
  readonly #file: ImportSource;
  readonly #shape: FileShape;
  #last: Pick<Place, 'key' | 'n'> = { key: Number.NEGATIVE_INFINITY, n: -1 };
  length = 0;

  constructor(file: ImportSource, shape: FileShape) {
    this.#file = withNewlines(file, shape);
    this.#shape = shape;
  }

  async add(row: RawRow, key: number): Promise<void> {
    const length = Math.min(row.end - row.offset, ROW_BYTES_MAX + 1);
    const sealed = this.#file.fd === undefined ? await this.#sealedBytes(row.offset, length) : null;
    this.#add.run(key, this.length, row.offset, row.line, row.alone ? -length : length, sealed);
    this.length += 1;
  }

  /** Rows of an upload are kept as they are: it is in sealed chunks, and each would be opened again for almost every row. */
  async #sealedBytes(offset: number, length: number): Promise<Buffer> {
    const bytes = Buffer.allocUnsafe(length);
    const { bytesRead } = await this.#file.read(bytes, 0, length, offset);
    return seal(this.#key, NOTHING, bytes.subarray(0, bytesRead));
  }

  async skip(rows: number): Promise<void> {
    for (let left = rows; left > 0; left -= READ_ROWS) {
      this.#take(Math.min(left, READ_ROWS));
      await endOfTurn();
    }
  }

  /** Reads the next rows in the sorted order. */
  async read(): Promise<RawRow[]> {
    const rows: RawRow[] = [];
    for (const { line, offset, length, sealed } of this.#take(READ_ROWS, READ_TOGETHER_BYTES)) {
      const bytes = sealed ? open(this.#key, NOTHING, sealed) : this.#bytesAt(offset, Math.abs(length));
      rows.push(readRowAgain(bytes, this.#shape, { line, offset, alone: length < 0 }) as RawRow);
      if (rows.length % READ_A_TURN === 0) await endOfTurn();
    }
    return rows;
  }

  /** Of a file. Rows are many and small: waiting would take longer than reading. */
  #bytesAt(offset: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    return bytes.subarray(0, readSync(this.#file.fd as number, bytes, 0, length, offset));
  }

  /** At least one row, if any is left, however many bytes it has. */
  #take(rows: number, bytesMax = Number.POSITIVE_INFINITY): Place[] {
    const { key, n } = this.#last;
    const taken: Place[] = [];
    let bytes = 0;
    for (const place of this.#next.iterate(key, n, rows) as Iterable<unknown> as Iterable<Place>) {
      bytes += Math.abs(place.length);
      if (bytes > bytesMax && taken.length > 0) break;
      taken.push(place);
    }
    this.#last = taken.at(-1) ?? this.#last;
    return taken;
  }

  close(): void {
    this.#scratch.close();
  }
}

/** To be closed by the caller. */
export async function indexRows(file: ImportSource, shape: FileShape, keyOf: OrderKey): Promise<RowIndex> {
  const index = new RowIndex(file, shape);
  try {
    for await (const rows of readRows(file, shape, shape.first)) {
      for (const row of rows) await index.add(row, keyOf(row));
    }
    return index;
  } catch (error) {
    index.close();
    throw error;
  }
}
