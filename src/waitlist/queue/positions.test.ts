import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { assertProperty } from '../../../test/support/property.ts';
import { bucketOf, LEVEL_SHIFTS } from './positions.ts';

describe('bucketOf', () => {
  it('agrees with the bit shifts in the database, even below zero', async (test) => {
    await assertProperty(
      test,
      import.meta.filename,
      fc.property(fc.integer({ min: -(2 ** 45), max: 2 ** 45 }), (rank) => {
        for (const [level, shift] of LEVEL_SHIFTS.entries())
          assert.equal(bucketOf(rank, level), Number(BigInt(rank) >> BigInt(shift)));
      }),
    );
  });
});
