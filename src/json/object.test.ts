import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { assertProperty } from '../../test/support/property.ts';
import { isJsonObject } from './object.ts';

function parsesToObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

const agrees = (text: string) => assert.equal(isJsonObject(text), parsesToObject(text), JSON.stringify(text));

describe('isJsonObject', () => {
  it('agrees with JSON.parse on JSON', async (test) => {
    await assertProperty(
      test,
      import.meta.filename,
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(undefined, 2, '\t'), (value, indent) => {
        agrees(JSON.stringify(value, null, indent));
        agrees(JSON.stringify({ value }, null, indent));
      }),
    );
  });

  it('agrees with JSON.parse on what is almost JSON', async (test) => {
    const piece = fc.constantFrom(
      ...[
        '{',
        '}',
        '[',
        ']',
        ':',
        ',',
        '"',
        '"a"',
        '"\\u00e9"',
        '"\\u00g9"',
        '"\\x"',
        '"\\',
        '\\',
        ' ',
        '\n',
      ],
      ...[
        '0',
        '-',
        '1',
        '01',
        '.',
        '1.5',
        'e',
        '1e5',
        '-0',
        '1E+2',
        'true',
        'tru',
        'null',
        '\u0001',
        'é',
        '\u00a0',
      ],
    );
    await assertProperty(
      test,
      import.meta.filename,
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        agrees(pieces.join(''));
        agrees(`{"a":${pieces.join('')}}`);
      }),
      { numRuns: 3_000 },
    );
  });

  it('agrees with JSON.parse on JSON with one character changed', async (test) => {
    await assertProperty(
      test,
      import.meta.filename,
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })),
        fc.nat(),
        fc.string({ minLength: 0, maxLength: 1, unit: 'binary' }),
        (value, place, replacement) => {
          const json = JSON.stringify(value);
          const at = place % json.length;
          agrees(json.slice(0, at) + replacement + json.slice(at + 1));
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('handles any depth of nesting', () => {
    const deep = 500_000;
    assert.equal(isJsonObject(`{"a":${'['.repeat(deep)}${']'.repeat(deep)}}`), true);
    assert.equal(isJsonObject(`{"a":${'['.repeat(deep)}`), false);
  });
});
