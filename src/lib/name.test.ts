import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readName } from './name.ts';

describe('a name', () => {
  it('is kept without the space around it, in one normal form', () => {
    assert.equal(readName('  Zoe\u0308 ', { most: 4 }), 'Zoë');
  });

  it('is as long as a person would count it', () => {
    assert.equal(readName('🚀'.repeat(100), { most: 100 }), '🚀'.repeat(100));
    assert.throws(
      () => readName('🚀'.repeat(101), { most: 100 }),
      /^.*name: must be 1 to 100 characters on one line$/,
    );
  });

  it('has no line breaks or other control characters', () => {
    for (const text of ['a\nb', 'a\tb', 'a\u0085b'])
      assert.throws(() => readName(text, { most: 9 }), /name: must be 1 to 9 characters on one line$/);
  });

  it('can be empty only where that is allowed', () => {
    assert.equal(readName(' ', { least: 0, most: 9 }), '');
    assert.throws(() => readName(' ', { most: 9 }), /name: must be 1 to 9 characters on one line$/);
    assert.throws(
      () => readName('a\nb', { least: 0, most: 9 }),
      /name: must be at most 9 characters on one line$/,
    );
  });
});
