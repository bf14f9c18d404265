import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { assertProperty } from '../../test/support/property.ts';
import { isoTime } from './time.ts';

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

  it('rejects invalid times', () => {
    for (const time of [Number.NaN, 8.64e15 + 1]) assert.throws(() => isoTime(time), RangeError);
  });
});
