import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readCell, writeCell } from '../files/cells.ts';
import { chooseColumns, nameColumns, parseColumnMap } from '../files/columns.ts';
import { parseImportedTime } from '../files/times.ts';
import { findCircles } from './import-circles.ts';

describe('parseImportedTime', () => {
  it('reads ISO 8601 with and without a zone, and seconds and milliseconds since 1970', () => {
    const day = Date.UTC(2024, 1, 29);
    const half = day + 12.5 * 3_600_000;
    assert.equal(parseImportedTime('2024-02-29'), day);
    assert.equal(parseImportedTime(' 2024-02-29T12:30Z '), half);
    assert.equal(parseImportedTime('2024-02-29 12:30:00 UTC'), half);
    assert.equal(parseImportedTime('2024-02-29T12:30:00.123456'), half + 123);
    assert.equal(parseImportedTime('2024-02-29T14:30:00+0200'), half);
    assert.equal(parseImportedTime('2024-02-29T08:00:00-04:30'), half);
    assert.equal(parseImportedTime(half), half);
    assert.equal(parseImportedTime(String(half / 1000)), half);
  });

  it('rejects ambiguous and impossible dates', () => {
    const refused = [
      '03/04/2024',
      '2023-02-29',
      '2024-13-01',
      '2024-01-01T25:00',
      '2024-01-01T24:00:00Z',
      '0099-01-01',
      '2024-01-01T00:00:00+15:00',
      '2024-01-01T00:00:00+02:75',
      '2024',
      'today',
      '',
      {},
      true,
    ];
    for (const text of refused) assert.equal(parseImportedTime(text), undefined, String(text));
  });
});

describe('cells', () => {
  it('round-trip unchanged, and never start a formula', () => {
    for (const text of ['=1', '+1', '-1', '@a', '\t=', "'=1", "''@", "'", "it's", 'a"b', ' x ', 'a\nb', '']) {
      const written = writeCell(text);
      const cell = written.startsWith('"') ? written.slice(1, -1).replaceAll('""', '"') : written;
      assert.doesNotMatch(cell, /^[=+\-@\t\r]/);
      assert.equal(readCell(cell), text);
    }
  });
});

describe('columns', () => {
  const choice = { map: {}, preset: null, dropUnmapped: false, own: false };

  it('are recognized by name in any spelling, or become metadata', () => {
    const names = [
      'E-Mail',
      'Phone Number',
      'referred_by',
      'createdAt',
      'Language',
      'Plan',
      'metadata.Seats',
    ];
    assert.deepEqual(names.map(chooseColumns(choice, names)), [
      ...['email', 'phone', 'referredBy', 'joinedAt', 'language', 'metadata.Plan', 'metadata.Seats'],
    ]);
    assert.equal(chooseColumns({ ...choice, dropUnmapped: true }, names)('metadata.Seats'), 'metadata.Seats');
  });

  it('that a preset has other names for are still recognized, unless the file has those, too', () => {
    const prefinery = { ...choice, preset: 'prefinery' };
    const usual = ['email', 'phone', 'created at', 'language'];
    assert.deepEqual(usual.map(chooseColumns(prefinery, usual)), ['email', 'phone', 'joinedAt', 'language']);
    const both = ['email', 'telephone', 'phone', 'Applied At', 'created_at'];
    assert.deepEqual(both.map(chooseColumns(prefinery, both)), [
      ...['email', 'phone', 'metadata.phone', 'joinedAt', 'metadata.created_at'],
    ]);
    const without = ['email', 'status', 'applied at'];
    assert.deepEqual(without.map(chooseColumns(choice, without)), ['email', 'metadata.status', 'joinedAt']);
  });

  it('are not guessed when the operator maps them', () => {
    const map = parseColumnMap('Contact, work=email,x=-');
    const names = ['Contact, work', 'work', 'email', 'x'];
    const targetOf = chooseColumns({ ...choice, map, dropUnmapped: true }, names);
    assert.deepEqual(names.map(targetOf), ['email', '-', '-', '-']);
  });

  it('must have distinct names', () => {
    const names = nameColumns(['a', '', 'a', ' a ', '__proto__']);
    assert.deepEqual(names, ['a', 'column 2', 'a 2', 'a 3', 'column 5']);
  });
});

describe('findCircles', () => {
  it('finds the members of a circle, and not those who lead to one', () => {
    //                                    1  2  3  4  5  6  7  8
    const referrers = Int32Array.from([0, 2, 3, 1, 3, 0, 5, 7, 6]);
    assert.deepEqual([...findCircles(referrers)].sort(), [1, 2, 3, 7]);
  });

  it('takes linear time however long the chains are', () => {
    const length = 1_000_000;
    const chain = Int32Array.from({ length }, (_, at) => (at + 1 < length ? at + 1 : 0));
    chain[0] = 0;
    assert.equal(findCircles(chain).size, 0);
    chain[length - 1] = 1;
    assert.equal(findCircles(chain).size, length - 1);
  });
});
