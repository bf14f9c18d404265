import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bounceAddressProblem, emailProblem, isAsciiAddress, parseEmail } from './email.ts';
import { foldedForm, nameProblem, plainForm, readName, readText } from './text.ts';

/** Marks of two classes in turn, which normalizing has to sort. */
const marks = (units: number) => 'a\u0316\u0301'.repeat(units / 3);

/** The longest text that was normalized while `work` ran. */
function longestNormalized(work: () => void): number {
  const { normalize } = String.prototype;
  let longest = 0;
  String.prototype.normalize = function (form?: string) {
    longest = Math.max(longest, this.length);
    return normalize.call(this, form);
  };
  try {
    work();
  } finally {
    String.prototype.normalize = normalize;
  }
  return longest;
}

describe('a text', () => {
  it('is trimmed and composed, and counted afterwards', () => {
    assert.equal(readText(' zoe\u0308\t', 3), 'zo\u00eb');
    assert.equal(readText('😀'.repeat(254), 254), '😀'.repeat(254));
    assert.equal(readText('😀'.repeat(255), 254), undefined);
    assert.equal(readText('abc', 2), undefined);
    assert.equal(readText('a\ud800', 10), undefined);
  });

  it('is not normalized before its length is known', () => {
    const longest = longestNormalized(() => {
      for (const text of [marks(300_000), `${marks(300_000)}@example.com`, 'a.'.repeat(50_000)]) {
        assert.equal(readText(text, 254), undefined);
        assert.equal(parseEmail(text), undefined);
        assert.equal(isAsciiAddress(text), false);
        assert.ok(bounceAddressProblem(text));
        assert.match(nameProblem(text, { most: 200 }) ?? '', /1 to 200 characters/);
      }
    });
    assert.ok(longest < 1_000, `${longest} units were normalized`);
  });

  it('is searched in pieces', () => {
    assert.equal(plainForm('ｗｗｗ．ｅｖｉｌ'.repeat(300)), 'www.evil'.repeat(300));
    assert.ok(longestNormalized(() => plainForm(marks(300_000))) < 1_000);
    assert.ok(longestNormalized(() => foldedForm(marks(300_000))) < 1_000);
  });

  it('is the same for capitals, accents and other forms as without, to compare it', () => {
    for (const [one, other] of [
      ['Zoë Ångström', 'zoe angstrom'],
      ['Zoe\u0308', 'Zo\u00eb'],
      ['STRASSE', 'Straße'],
      ['ΟΔΟΣ', 'οδός'],
      ['İstanbul', 'istanbul'],
      ['Ｄｅｌｔａ', 'delta'],
      ['Ёлка', 'елка'],
    ] as const)
      assert.equal(foldedForm(one), foldedForm(other));
    assert.notEqual(foldedForm('か'), foldedForm('が'));
    assert.equal(foldedForm('É'.repeat(3_000)), 'e'.repeat(3_000));
  });
});

describe('an email that is refused', () => {
  it('is told its limit if it is too long, and else that it is none', () => {
    const ofLength = (length: number) => `${'a'.repeat(length - '@example.com'.length)}@example.com`;
    assert.equal(emailProblem('nobody'), 'not an email address');
    assert.equal(emailProblem(ofLength(255)), 'must have at most 254 characters');
    assert.equal(emailProblem(` ${ofLength(254)} `), 'not an email address');
    assert.equal(emailProblem(marks(300_000)), 'must have at most 254 characters');
    assert.equal(parseEmail(` ${'😀'.repeat(200)}@example.com\t`)?.key, `${'😀'.repeat(200)}@example.com`);
  });
});

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
