import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { prefersRepresentation } from './signed-up.ts';

describe('prefersRepresentation', () => {
  for (const header of [
    'return=representation',
    'return=representation; foo, wait=10',
    'respond-async, wait=100, return=representation',
    'Return = "representation"',
    'RETURN=Representation',
    'foo; bar="a, return=minimal", return=representation',
    'foo="a \\", return=minimal", return=representation',
    ', ,return=representation;;',
    'return=representation, return=minimal',
    ['handling=lenient', 'return=representation'],
  ]) {
    it(`is true for ${JSON.stringify(header)}`, () => assert.equal(prefersRepresentation(header), true));
  }

  for (const header of [
    undefined,
    '',
    'return',
    'return=',
    'return=minimal',
    'return=minimal, return=representation',
    'xreturn=representation',
    'return=representations',
    'foo; return=representation',
    'foo="return=representation"',
    'return representation',
    'return==representation',
    '"return=representation',
    `${'"'.repeat(5_000)}return=representation`,
    `${'a;'.repeat(5_000)}`,
  ]) {
    it(`is false for ${JSON.stringify(header)?.slice(0, 60)}`, () =>
      assert.equal(prefersRepresentation(header), false));
  }
});
