import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { assertProperty } from '../../test/support/property.ts';
import { findDuplicateKey, findStrictProblem } from './strict.ts';

const problemIn = (json: string) => findStrictProblem(json, JSON.parse(json));

describe('findStrictProblem', () => {
  it('finds the duplicate keys that a walk finds, however JSON is spaced and whatever is in its strings', async (test) => {
    const space = fc.constantFrom('', ' ', '\n', '\t');
    const text = fc.constantFrom('a', 'b', ':', '":', ' :', '10:00', '{"a":1,"a":2}', '\\', '\u00e9');
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        text.map(JSON.stringify),
        fc.constant('1'),
        tie('object'),
        tie('array'),
      ),
      array: fc.array(tie('value'), { maxLength: 3 }).map((values) => `[${values.join(',')}]`),
      object: fc
        .array(fc.tuple(text, space, space, tie('value')), { maxLength: 4 })
        .map(
          (members) =>
            `{${members.map(([key, a, b, of]) => `${JSON.stringify(key)}${a}:${b}${of}`).join(',')}}`,
        ),
    }));
    await assertProperty(
      test,
      import.meta.filename,
      fc.property(value, (json) => {
        const path = findDuplicateKey(String(json));
        assert.deepEqual(problemIn(String(json)), path && { path, reason: 'duplicate key' });
      }),
      { numRuns: 2_000 },
    );
  });

  it('finds what the API refuses in strings and keys at any depth', () => {
    for (const [json, path, reason] of [
      ['"\\u0000"', [], 'must not contain NUL characters'],
      ['["","\\u0000"]', [1], 'must not contain NUL characters'],
      ['{"a":{"\\u0000":1}}', ['a'], 'must not contain NUL characters'],
      ['{"b":1,"a":["\\ud800"]}', ['a', 0], 'must not contain lone surrogates'],
      ['{"a":[5,{"__proto__":1}]}', ['a', 1], 'must not contain a key named __proto__'],
      ['{"a":[{"__pro\\u0074o__":1}]}', ['a', 0], 'must not contain a key named __proto__'],
      [`${'['.repeat(65)}${']'.repeat(65)}`, [], 'is nested deeper than 64 levels'],
    ] as const)
      assert.deepEqual(problemIn(json), { path, reason });
    for (const json of ['"__proto__"', '{"a":"\\ud83c\\udf89"}', `${'['.repeat(64)}${']'.repeat(64)}`])
      assert.equal(problemIn(json), undefined);
  });
});
