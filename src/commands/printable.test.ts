import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { table } from './command.ts';
import { printable, printableJson, printableLine } from './printable.ts';

describe('printable text', () => {
  it('escapes every control character except newlines and tabs', () => {
    assert.equal(printable('a\tb\nc\r\u0000\u001b[31m'), 'a\tb\nc\\u000d\\u0000\\u001b[31m');
    assert.equal(printable('\u007f\u0080\u009b\u009f'), '\\u007f\\u0080\\u009b\\u009f');
    assert.equal(printable('\u202a\u202e\u2066\u2069\u2028'), '\\u202a\\u202e\\u2066\\u2069\\u2028');
    const harmless = 'Zoë 王小明 שלום 👩‍👩‍👧 “quoted”';
    assert.equal(printable(harmless), harmless);
  });

  it('keeps a value on one line, and a table row on one row', () => {
    assert.equal(printableLine('a\nb\tc'), 'a\\u000ab\\u0009c');
    assert.equal(table(['A', 'B'], [['x\ny', 1]]).split('\n').length, 2);
  });

  it('leaves the JSON value unchanged', () => {
    const value = { a: 'x\u0000\u001b\u007f\u009b\u202e\n', b: [1, null] };
    assert.deepEqual(JSON.parse(printableJson(value)), value);
    assert.doesNotMatch(printableJson(value), /[\p{Cc}\u202e]/u);
  });
});
