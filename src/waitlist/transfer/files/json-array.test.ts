import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { assertProperty } from '../../../../test/support/property.ts';
import { linesOfArray } from './json-array.ts';

async function linesOf(text: string, mostAtOnce: number): Promise<string[]> {
  const bytes = Buffer.from(text);
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += mostAtOnce) yield bytes.subarray(at, at + mostAtOnce);
  }
  const out: Buffer[] = [];
  for await (const piece of linesOfArray(pieces())) out.push(Buffer.from(piece));
  return Buffer.concat(out).toString().split('\n').slice(0, -1);
}

const size = fc.integer({ min: 1, max: 40 });

describe('linesOfArray', () => {
  it('writes each value of an array on a line, in chunks of any size', async (test) => {
    await assertProperty(
      test,
      import.meta.filename,
      fc.asyncProperty(
        fc.array(fc.jsonValue({ maxDepth: 4 }), { minLength: 1 }),
        fc.constantFrom(undefined, 2, '\t'),
        size,
        async (values, indent, mostAtOnce) => {
          const lines = await linesOf(JSON.stringify(values, null, indent), mostAtOnce);
          assert.deepEqual(
            lines.map((line) => JSON.parse(line)),
            JSON.parse(JSON.stringify(values)),
          );
        },
      ),
    );
  });

  it('never makes an array of what is none: it is refused, or one of its lines is no JSON', async (test) => {
    const parses = (text: string) => {
      try {
        return Array.isArray(JSON.parse(text));
      } catch {
        return false;
      }
    };
    const piece = fc.constantFrom(
      '[',
      ']',
      '{',
      '}',
      ',',
      ':',
      '"',
      '"a"',
      '{"a":1}',
      '1',
      'null',
      '\\',
      ' ',
      '\n',
      'x',
    );
    await assertProperty(
      test,
      import.meta.filename,
      fc.asyncProperty(fc.array(piece, { maxLength: 10 }), size, async (pieces, mostAtOnce) => {
        const text = `[${pieces.join('')}]`;
        const isTaken = await linesOf(text, mostAtOnce).then(
          (lines) => lines.every((line) => (line === '' ? lines.length === 1 : parses(`[${line}]`))),
          (error) => {
            assert.match(error.message, /^body: (is not valid JSON: .+, on line \d+|must be a JSON array)/);
            return false;
          },
        );
        assert.equal(isTaken, parses(text), JSON.stringify(text));
      }),
      { numRuns: 3_000 },
    );
  });
});
