import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { assertProperty } from '../../test/support/property.ts';
import { findInexactNumbers } from './numbers.ts';
import { showPath } from './path.ts';

const inexactIn = (json: string) => findInexactNumbers(json).map(showPath);

/** The value of a decimal as a fraction of integers, without rounding. */
function exactly(number: string): [bigint, bigint] {
  const [mantissa = '', exponent = '0'] = number.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const power = Number(exponent) - fraction.length;
  const digits = BigInt(whole.replace('-', '') + fraction) * (mantissa.startsWith('-') ? -1n : 1n);
  return power >= 0 ? [digits * 10n ** BigInt(power), 1n] : [digits, 10n ** BigInt(-power)];
}

function survives(number: string): boolean {
  const value = Number(number);
  if (!Number.isFinite(value) || Object.is(value, -0)) return false;
  const [a, b] = exactly(number);
  const [c, d] = exactly(JSON.stringify(value));
  return a * d === c * b;
}

describe('findInexactNumbers', () => {
  it('finds numbers that a double rounds, overflows or loses', () => {
    const inexact = [
      '9007199254740993',
      '-9007199254740993',
      '12345678901234567890',
      '0.12345678901234567890',
    ];
    for (const number of [
      ...inexact,
      '1e400',
      '-1e400',
      '1e-400',
      '5e-325',
      '1.00000000000000001',
      '1e999999999999',
      '-0',
      '-0.0',
      '-0e5',
      '-0.0e-400',
    ])
      assert.deepEqual(inexactIn(`{"a":${number}}`), ['a'], number);
  });

  it('accepts other spellings of the same number', () => {
    const exact = ['0', '1.0', '1E2', '1e+2', '1e-2', '0e400', '-0.5', '9007199254740992', '1e23', '5e-324'];
    for (const number of [
      ...exact,
      '0.30000000000000004',
      '1.7976931348623157e308',
      `1.${'0'.repeat(400)}`,
      '12345678901234567000',
    ])
      assert.deepEqual(inexactIn(`{"a":${number}}`), [], number);
  });

  it('agrees with exact arithmetic', async (test) => {
    const digits = fc.stringMatching(/^(0|[1-9][0-9]{0,20})$/);
    const exponent = fc.constantFrom('', 'e5', 'E-7', 'e+300', 'e-320', 'e310');
    await assertProperty(
      test,
      import.meta.filename,
      fc.property(
        fc.boolean(),
        digits,
        fc.stringMatching(/^[0-9]{0,20}$/),
        exponent,
        (minus, whole, part, power) => {
          const number = `${minus ? '-' : ''}${whole}${part === '' ? '' : `.${part}`}${power}`;
          assert.equal(findInexactNumbers(`[${number}]`).length === 0, survives(number), number);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('finds nothing in what JSON.stringify writes', async (test) => {
    await assertProperty(
      test,
      import.meta.filename,
      fc.property(fc.jsonValue(), (value) => assert.deepEqual(inexactIn(JSON.stringify(value)), [])),
    );
  });

  it('reports the path of each number, and ignores digits in strings', () => {
    const json = `{"no": ", 12345678901234567890", "a\\"b": [1, {"x": 1e400}, "[1e400,", [2, 9007199254740993]],
      "": {" 1e400": {"y": "\\\\"}}, "z": 1e400 }`;
    assert.deepEqual(inexactIn(json), ['a"b[1].x', 'a"b[3][1]', 'z']);
  });
});
