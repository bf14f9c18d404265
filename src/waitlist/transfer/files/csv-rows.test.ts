import assert from 'node:assert/strict';
import type { FileHandle } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { assertProperty } from '../../../../test/support/property.ts';
import { readCsvRows } from './csv-rows.ts';
import { type RawRow, ROW_BYTES_MAX, TOO_LONG } from './raw-row.ts';

/** A file in memory that hands out so many bytes at a time, and counts them. */
function fileOf(text: string, mostAtOnce = Number.POSITIVE_INFINITY) {
  const bytes = Buffer.from(text);
  const file = {
    read: async (into: Buffer, _: number, length: number, position: number) => {
      const bytesRead = bytes.copy(into, 0, position, position + Math.min(length, mostAtOnce));
      counted.bytes += bytesRead;
      return { bytesRead };
    },
  };
  const counted = { bytes: 0, size: bytes.length, file: file as unknown as FileHandle };
  return counted;
}

async function rowsOf(file: FileHandle, delimiter = ','): Promise<RawRow[]> {
  const rows: RawRow[] = [];
  for await (const some of readCsvRows(file, delimiter, { offset: 0, line: 1 })) rows.push(...some);
  return rows;
}

describe('readCsvRows', () => {
  it('reads CSV as a reference parser does, in chunks of any size', async (test) => {
    const cell = fc.oneof(
      fc.string(),
      fc.constantFrom('', '"', 'a"b', 'x\ny', 'x\r\ny', ',', 'é🎉', ' "q" '),
    );
    const record = fc.array(cell, { minLength: 1, maxLength: 4 });
    const written = (value: string) =>
      /[",\r\n]/.test(value) || value === '' ? `"${value.replaceAll('"', '""')}"` : value;
    await assertProperty(
      test,
      import.meta.filename,
      fc.asyncProperty(
        fc.array(record, { minLength: 1 }),
        fc.constantFrom('\n', '\r\n'),
        fc.integer({ min: 1, max: 40 }),
        fc.boolean(),
        async (records, ending, mostAtOnce, closed) => {
          const lines = records.map((cells) => cells.map(written).join(','));
          const text = lines.join(ending) + (closed ? ending : '');
          const rows = await rowsOf(fileOf(text, mostAtOnce).file);
          const values = rows.map((row) => row.values);
          assert.deepEqual(values, records);
          assert.deepEqual(values, parse(text, { relax_column_count: true }));
          const bytes = Buffer.from(text);
          for (const row of rows) {
            assert.equal(row.line, 1 + bytes.toString('latin1', 0, row.offset).split('\n').length - 1);
          }
        },
      ),
    );
  });

  it('continues after a bad line, and reads no byte twice however many there are', async () => {
    const lines = Array.from({ length: 3_000 }, (_, at) =>
      at % 3 === 0 ? `p${at}@example.com,fine` : at % 3 === 1 ? `p${at},"open` : `"p${at}"broken,"x`,
    );
    const counted = fileOf(`email,note\n${lines.join('\n')}\n`);
    const rows = await rowsOf(counted.file);
    assert.equal(counted.bytes, counted.size);
    assert.equal(rows.length, lines.length + 1);
    assert.deepEqual(
      rows.map(({ line }) => line),
      Array.from({ length: lines.length + 1 }, (_, at) => at + 1),
    );
    assert.equal(rows.filter(({ problem }) => problem !== undefined).length, 2_000);
  });

  it('accepts quotes inside unquoted cells', async () => {
    const rows = await rowsOf(fileOf('say "hi",x\n"Acme "Inc"",y\n"a"b,"c"\n').file);
    assert.deepEqual(
      rows.map(({ values }) => values),
      [['say "hi"', 'x'], ['Acme "Inc"', 'y'], undefined],
    );
  });

  it('reads an overlong record as one bad row, whatever is in its cells, and goes on behind it', async () => {
    const people = 'eve@example.com,Eve\r\n'.repeat(30_000);
    for (const [name, cell] of Object.entries({
      lines: people,
      'a first line longer than what is read at once': `${'x'.repeat(600_000)}\n${people}`,
      'just too long': `${'y'.repeat(ROW_BYTES_MAX - 40)}\n${'p@example.com,P\n'.repeat(9)}`,
      quotes: 'say ""hi"", she said\n'.repeat(20_000),
    }))
      for (const mostAtOnce of [Number.POSITIVE_INFINITY, 70_001])
        for (const ending of ['\n', '\r\n', '']) {
          const record = `ann@example.com,"${cell}",x${ending}`;
          const text = `email,note,z\n${record}${ending === '' ? '' : `bob@example.com,"fine",y${ending}`}`;
          const rows = await rowsOf(fileOf(text, mostAtOnce).file);
          const lines = record.split('\n').length - 1;
          assert.deepEqual(
            rows.map(({ line, nextLine, values, problem }) => [line, nextLine, values?.length, problem]),
            [
              [1, 2, 3, undefined],
              [2, 2 + (ending === '' ? lines + 1 : lines), undefined, TOO_LONG],
              ...(ending === '' ? [] : [[2 + lines, 3 + lines, 3, undefined]]),
            ],
            `${name}, ${mostAtOnce}`,
          );
        }
  });

  it('is not swallowed by a quote that is never closed, and looks for its end once', async () => {
    const lines = Array.from({ length: 60_000 }, (_, at) => `p${at}@example.com,""`);
    lines[3] = 'p3@example.com,"open';
    lines[4] = 'p4@example.com,"open again';
    const counted = fileOf(`${lines.join('\n')}\n`);
    const rows = await rowsOf(counted.file);
    assert.equal(rows.length, lines.length);
    assert.equal(rows.filter(({ problem }) => problem !== undefined).length, 2);
    assert.ok(counted.bytes < 4 * counted.size, `${counted.bytes} of ${counted.size}`);
  });

  it('skips an overlong line without buffering it', async () => {
    const rows = await rowsOf(fileOf(`a\n${'x'.repeat(1_000_000)}\n"${'y'.repeat(600_000)}\nb`).file);
    assert.deepEqual(
      rows.map(({ line, values }) => [line, values]),
      [
        [1, ['a']],
        [2, undefined],
        [3, undefined],
        [4, ['b']],
      ],
    );
  });
});
