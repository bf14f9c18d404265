import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ImportSource } from './raw-row.ts';
import { type FileShape, readRows } from './row-file.ts';
import { indexRows } from './row-order.ts';

const ROWS = 20_000;
const SHAPE: FileShape = {
  ...{ format: 'csv', delimiter: ',', columns: ['email', 'key'], own: false },
  first: { offset: 0, line: 1 },
};

/** A file in memory, which is read without waiting. So are uploaded ones on SQLite. */
function fileOf(lines: Iterable<string>): ImportSource & { size: number } {
  const bytes = Buffer.from([...lines].map((line) => `${line}\n`).join(''));
  return {
    size: bytes.length,
    read: async (into, offset, length, position) => ({
      bytesRead: bytes.copy(into, offset, position, position + length),
    }),
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
    const keyOf = ({ values }: { values: unknown }) => Number((values as string[])[1]);
    const reading = await turnsDuring(() => countRows(file, SHAPE));
    const turns = await turnsDuring(async () => {
      const index = await indexRows(file, SHAPE, keyOf);
      const rows = await index.read(file, SHAPE, 0, ROWS);
      assert.deepEqual(rows.map(keyOf), numbers);
    });
    assert.ok(turns >= reading + 4, `${turns} turns, ${reading} of them to read`);
  });
});
