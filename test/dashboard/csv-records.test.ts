import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { recordsOf } from '../../web/src/pages/transfer/csv-records.ts';

describe('the first records of CSV', () => {
  it('end at any kind of line break', () => {
    for (const end of ['\n', '\r\n'])
      assert.deepEqual(recordsOf(`line,field${end}3,email${end}4,phone`, ',', 2), [
        ['line', 'field'],
        ['3', 'email'],
      ]);
  });

  it('may have quoted cells with separators, quotes and line breaks', () => {
    assert.deepEqual(recordsOf('"Name, full";"a ""b"""\n"Ada\nLovelace";x', ';', 5), [
      ['Name, full', 'a "b"'],
      ['Ada\nLovelace', 'x'],
    ]);
  });
});
