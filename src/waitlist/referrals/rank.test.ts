import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { assertProperty } from '../../../test/support/property.ts';
import { rankOf } from './rank.ts';

describe('rankOf', () => {
  it('is the sequence number minus the boost for each referral', () => {
    assert.equal(rankOf(10, 5, 0), 10);
    assert.equal(rankOf(10, 5, 1), 5);
    assert.equal(rankOf(10, 5, 4), -10);
    assert.equal(rankOf(10, 0, 4), 10);
  });

  it('moves a person past exactly as many people per referral as the boost says', async (test) => {
    await assertProperty(
      test,
      import.meta.filename,
      fc.property(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 0, max: 20 }), (last, boost) => {
        const seqs = Array.from({ length: 60 }, (_, i) => i + 1);
        const order = (referred: number) =>
          seqs
            .map((seq) => ({ seq, rank: rankOf(seq, boost, seq === referred ? 1 : 0) }))
            .sort((a, b) => a.rank - b.rank || b.seq - a.seq)
            .map(({ seq }) => seq);
        assert.equal(order(last).indexOf(last), Math.max(0, last - 1 - boost));
      }),
    );
  });
});
