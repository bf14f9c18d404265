import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { assertProperty } from '../../test/support/property.ts';
import { isoTime, parseDuration, readDate, readTime } from './time.ts';

describe('isoTime', () => {
  it('formats any time as Date does', async (test) => {
    const edges = [0, -1, 1, 86_399_999, 86_400_000, -86_400_000, 8.64e15, -8.64e15, -62_198_755_200_000];
    for (const time of edges) assert.equal(isoTime(time), new Date(time).toISOString());
    await assertProperty(
      test,
      import.meta.filename,
      fc.property(fc.integer({ min: -8.64e15, max: 8.64e15 }), (time) => {
        assert.equal(isoTime(time), new Date(time).toISOString());
      }),
    );
  });

  it('shows a number beyond all dates as the last one, and rejects what is no number', () => {
    for (const time of [8.64e15 + 1, 2 ** 53, 2 ** 62]) {
      assert.equal(isoTime(time), isoTime(8.64e15));
      assert.equal(isoTime(-time), isoTime(-8.64e15));
    }
    assert.throws(() => isoTime(Number.NaN), RangeError);
  });
});

describe('readDate', () => {
  it('reads the days of the calendar', () => {
    assert.equal(readDate('2026-12-01'), Date.UTC(2026, 11, 1));
    assert.equal(readDate('2028-02-29'), Date.UTC(2028, 1, 29));
  });

  it('knows no other days, and no other forms', () => {
    for (const text of ['2026-02-29', '2030-02-30', '2026-04-31', '2026-13-01', '2026-00-10', '2026-01-00'])
      assert.equal(readDate(text), undefined, text);
    for (const text of ['', '2026-1-1', '01.12.2026', '2026-12-01T00:00:00Z', ' 2026-12-01', '+002026-12-01'])
      assert.equal(readDate(text), undefined, text);
  });
});

describe('readTime', () => {
  it('reads times with a time zone', () => {
    assert.equal(readTime('2026-12-01T00:00Z'), Date.UTC(2026, 11, 1));
    assert.equal(readTime('2026-12-01T12:30:15.250+02:00'), Date.UTC(2026, 11, 1, 10, 30, 15, 250));
  });

  it('reads no time that has another year in UTC than four digits can say', () => {
    assert.equal(readTime('9999-12-31T23:59:59.999Z'), Date.UTC(9999, 11, 31, 23, 59, 59, 999));
    for (const text of ['9999-12-31T23:59:59-12:00', '0000-01-01T00:00:00+14:00'])
      assert.equal(readTime(text), undefined, text);
  });

  it('knows no days that do not exist, and no times without a time zone', () => {
    for (const text of ['2030-02-30T00:00:00Z', '2026-04-31T23:59:59+14:00', '2026-02-29T00:00:00-12:00'])
      assert.equal(readTime(text), undefined, text);
    for (const text of ['', '2026-12-01', '2026-12-01T00:00:00', '2026-12-01T25:00:00Z', '2026-12-01 00:00Z'])
      assert.equal(readTime(text), undefined, text);
  });
});

it('durations are a number with a unit, or 0, up to a hundred years', () => {
  const hour = 3_600_000;
  const given = { '90s': 90_000, '30m': hour / 2, '24h': 24 * hour, '14d': 336 * hour, '0': 0, '0s': 0 };
  for (const [text, ms] of Object.entries(given)) assert.equal(parseDuration(text), ms, text);
  assert.equal(parseDuration('36500d'), 36_500 * 24 * hour);
  for (const text of ['', '5', 's', '1w', '-1d', '1.5h', '1h ', '36501d', '9999999999s', '1D'])
    assert.equal(parseDuration(text), undefined, text);
});
