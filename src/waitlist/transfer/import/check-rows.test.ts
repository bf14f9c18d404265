import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Context } from '../../queue/context.ts';
import type { Queue } from '../../queue/queue.ts';
import type { Target } from '../files/presets.ts';
import { PIECE_BYTES, type RawRow } from '../files/raw-row.ts';
import { checkRows } from './check-rows.ts';
import { readColumns } from './import-plan.ts';

const COLUMNS = [
  ...['email', 'phone', 'referredBy', 'referralCode', 'joinedAt', 'position', 'status', 'language'],
  'metadata',
];
const plan = {
  shape: { format: 'csv', delimiter: ',', columns: COLUMNS, own: false, first: { offset: 0, line: 1 } },
  choice: {
    map: Object.fromEntries(COLUMNS.map((name) => [name, name as Target])),
    preset: null,
    dropUnmapped: false,
    own: false,
  },
  order: 'file',
} as const;
const columns = readColumns({ ...plan, shape: { ...plan.shape, columns: [...COLUMNS] } });

/** Rows with nothing but an email and one other cell. */
function rowsWith(name: string, cells: readonly string[]): RawRow[] {
  let offset = 0;
  return cells.map((cell, at) => {
    const values = COLUMNS.map((column) => (column === name ? cell : ''));
    if (name !== 'email') values[0] = 'ada@example.com';
    const start = offset;
    offset += Buffer.byteLength(values.join(','));
    return { line: at + 1, nextLine: at + 2, offset: start, end: offset, values };
  });
}

const check = (rows: readonly RawRow[]) =>
  checkRows({ clock: () => 0 } as unknown as Context, {} as Queue, columns, rows, { confirmed: false });

const problemsOf = async (name: string, cell: string) =>
  (await check(rowsWith(name, [cell]))).bad.flatMap(({ problems }) =>
    problems.map(({ field, reason }) => `${field}: ${reason}`),
  );

const manyKeys = (count: number) =>
  JSON.stringify({ a: Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, n])) });

/** The longest text that was parsed or normalized meanwhile. */
async function longestRead(work: () => Promise<unknown>): Promise<number> {
  const { parse } = JSON;
  const { normalize } = String.prototype;
  let longest = 0;
  const note = (text: string) => {
    longest = Math.max(longest, text.length);
  };
  JSON.parse = (text: string, reviver) => {
    note(text);
    return parse(text, reviver);
  };
  String.prototype.normalize = function (form?: string) {
    note(String(this));
    return normalize.call(this, form);
  };
  try {
    await work();
  } finally {
    JSON.parse = parse;
    String.prototype.normalize = normalize;
  }
  return longest;
}

describe('a cell that is longer than its field can be', () => {
  it('is a problem of its row, which names the limit, and nothing reads it', async () => {
    const long = 'a\u0316\u0301'.repeat(60_000);
    const most = { email: 254, phone: 64, referredBy: 572, referralCode: 572, joinedAt: 80 };
    for (const [name, characters] of Object.entries({ ...most, position: 500, status: 500, language: 500 })) {
      let problems: string[] = [];
      const longest = await longestRead(async () => {
        problems = await problemsOf(name, long);
      });
      assert.deepEqual(problems, [`${name}: must have at most ${characters} characters`]);
      assert.ok(longest < 2_000, `${name}: ${longest}`);
    }
  });

  it('is not parsed if it is metadata, nor if it has too many keys or values', async () => {
    for (const [json, problem] of [
      [`{"a":"${'x'.repeat(180_000)}"}`, 'metadata: must have at most 65536 characters'],
      [manyKeys(4_000), 'metadata: is larger than 16384 bytes as JSON'],
      [`{"a":[${'0,'.repeat(9_000)}0]}`, 'metadata: is larger than 16384 bytes as JSON'],
    ] as const) {
      let problems: string[] = [];
      const longest = await longestRead(async () => {
        problems = await problemsOf('metadata', json);
      });
      assert.deepEqual(problems, [problem]);
      assert.ok(longest < 100, `${longest} characters of ${json.length}`);
    }
  });

  it('may be, if only space and escapes make it long', async () => {
    const json = `{"a":${' '.repeat(20_000)}"${'\\u00e9'.repeat(7_000)}", "b": -0}`;
    assert.deepEqual(await problemsOf('metadata', json), [
      'metadata.b: is a number that cannot be kept exactly; send it as a string',
    ]);
  });
});

describe('checking rows', () => {
  it('lets others work by what there is to read, not by how many rows there are', async () => {
    const rows = rowsWith(
      'metadata',
      Array.from({ length: 60 }, () => manyKeys(1_600)),
    );
    const bytes = rows.at(-1)?.end ?? 0;
    let turns = 0;
    let next = setImmediate(function count() {
      turns += 1;
      next = setImmediate(count);
    });
    assert.equal((await check(rows)).bad.length, 60);
    clearImmediate(next);
    assert.ok(turns >= bytes / PIECE_BYTES / 2, `${turns} turns for ${bytes} bytes`);
  });
});
