import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { assertProperty } from '../../test/support/property.ts';
import { formatId, newId, parseId, randomCode } from './ids.ts';

const bytes = fc.uint8Array({ minLength: 16, maxLength: 16 });

describe('ids', () => {
  it('can be read back from their text', async (test) => {
    await assertProperty(
      test,
      import.meta.filename,
      fc.property(bytes, (id) => {
        const text = formatId('ent', id);
        assert.match(text, /^ent_[0-9a-hjkmnp-tv-z]{26}$/);
        assert.deepEqual(parseId('ent', text), Buffer.from(id));
      }),
    );
  });

  it('sort the same as text and as bytes', async (test) => {
    await assertProperty(
      test,
      import.meta.filename,
      fc.property(bytes, bytes, (a, b) => {
        const byBytes = Math.sign(Buffer.compare(a, b));
        const [x, y] = [formatId('ent', a), formatId('ent', b)];
        assert.equal(x < y ? -1 : x > y ? 1 : 0, byBytes);
      }),
    );
  });

  it('start with their time, so that new ones sort last', () => {
    const early = newId(1_000);
    assert.equal(early.readUIntBE(0, 6), 1_000);
    assert.equal(Buffer.compare(early, newId(1_001)), -1);
    assert.notDeepEqual(newId(1_000), newId(1_000));
  });

  it('are valid only with their own prefix and in one spelling', () => {
    const text = formatId('ent', newId(1_000));
    const other = [
      '',
      'ent_',
      text.toUpperCase(),
      `${text}0`,
      text.slice(0, -1),
      ` ${text}`,
      text.replace('ent_', 'ent-'),
    ];
    other.push(text.replace(/.$/, 'u'), text.replace(/.$/, 'z'));
    for (const each of other) assert.equal(parseId('ent', each), undefined, each);
    assert.equal(parseId('inv', text), undefined);
  });

  it('never throw on any text', async (test) => {
    await assertProperty(
      test,
      import.meta.filename,
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        assert.equal(parseId('key', `key_${text}`.slice(0, 29)), undefined);
      }),
    );
  });
});

describe('randomCode', () => {
  it('has the requested length, and does not repeat', () => {
    const codes = new Set(Array.from({ length: 1_000 }, () => randomCode(26)));
    assert.equal(codes.size, 1_000);
    for (const code of codes) assert.match(code, /^[0-9a-hjkmnp-tv-z]{26}$/);
  });

  it('uses every character of its alphabet', () => {
    assert.equal(new Set(randomCode(4_000)).size, 32);
  });
});
