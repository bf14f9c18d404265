import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ImportSource, type RawRow, READ_BYTES } from './raw-row.ts';
import { type FileShape, readRows } from './row-file.ts';
import { indexRows } from './row-order.ts';

const ROWS = 20_000;
const SHAPE: FileShape = {
  ...{ format: 'csv', delimiter: ',', columns: ['email', 'key'], own: false },
  first: { offset: 0, line: 1 },
};

/** A file in memory, which is read without waiting. So are uploaded ones on SQLite. */
function fileOf(
  lines: Iterable<string>,
  watch: (offset: number) => void = () => {},
): ImportSource & { size: number } {
  const bytes = Buffer.from([...lines].map((line) => `${line}\n`).join(''));
  return {
    size: bytes.length,
    read: async (into, offset, length, position) => {
      watch(position);
      return { bytesRead: bytes.copy(into, offset, position, position + length) };
    },
  };
}

/** How many turns of the event loop others get meanwhile. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let next = setImmediate(function count() {
    turns += 1;
    next = setImmediate(count);
  });
  await work();
  clearImmediate(next);
  return turns;
}

const keyOf = ({ values }: RawRow) => Number((values as string[])[1]);

async function countRows(file: ImportSource, shape: FileShape): Promise<number> {
  let rows = 0;
  for await (const some of readRows(file, shape, shape.first)) rows += some.length;
  return rows;
}

describe('reading a large file', () => {
  const numbers = Array.from({ length: ROWS }, (_, n) => n);

  for (const [shape, line] of [
    [SHAPE, (n: number) => `person${n}@example.com,${n}`],
    [{ ...SHAPE, format: 'jsonl' }, (n: number) => `{"email":"person${n}@example.com"}`],
    [{ ...SHAPE, inCells: true }, (n: number) => `${n},bad,"{""email"":""person${n}@example.com""}"`],
  ] satisfies [FileShape, (n: number) => string][])
    it(`lets others work every 64 kB: ${line(1)}`, async () => {
      const file = fileOf(numbers.map(line));
      const turns = await turnsDuring(async () => assert.equal(await countRows(file, shape), ROWS));
      assert.ok(turns >= file.size / 65_536, `${turns} turns for ${file.size} bytes`);
    });

  it('lets others work while its rows are put in order', async () => {
    const file = fileOf(numbers.map((n) => `person${n}@example.com,${(n * 7_919) % ROWS}`));
    const reading = await turnsDuring(() => countRows(file, SHAPE));
    const turns = await turnsDuring(async () => {
      const index = await indexRows(file, SHAPE, keyOf);
      await index.skip(ROWS);
      index.close();
    });
    assert.ok(turns > reading, `${turns} turns, ${reading} of them to read`);
  });

  it('in an order that is not the file’s goes through it once', async () => {
    const lines = numbers.map((n) => `person${n}@example.com,${(n * 7_919) % ROWS}`);
    const offsets: number[] = [];
    const file = fileOf(lines, (offset) => offsets.push(offset));
    const index = await indexRows(file, SHAPE, keyOf);
    const rows: RawRow[] = [];
    const turns = await turnsDuring(async () => {
      while (rows.length < ROWS) rows.push(...(await index.read()));
      index.close();
    });
    assert.deepEqual(rows.map(keyOf), numbers);
    const back = Math.max(...offsets.map((offset, at) => (offsets[at - 1] ?? 0) - offset));
    assert.ok(back <= 2 * READ_BYTES && back < file.size / 4, `${back} of ${file.size} bytes back`);
    assert.ok(turns >= ROWS / 100, `${turns} turns`);
  });
});
