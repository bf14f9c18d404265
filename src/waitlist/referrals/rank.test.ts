import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { assertProperty } from '../../../test/support/property.ts';
import { rankOf } from './rank.ts';

const joined = { closed: 0, opened: 0, advanced: 0, moved: 0 };

describe('rankOf', () => {
  it('is the place minus the boost for each referral', () => {
    assert.equal(rankOf({ ...joined, seq: 10, referrals: 0 }, 5), 10);
    assert.equal(rankOf({ ...joined, seq: 10, referrals: 1 }, 5), 5);
    assert.equal(rankOf({ ...joined, seq: 10, referrals: 4 }, 5), -10);
    assert.equal(rankOf({ ...joined, seq: 10, referrals: 4 }, 0), 10);
    assert.equal(rankOf({ seq: 10, closed: 4, opened: 1, referrals: 1, advanced: 0, moved: 3 }, 5), 5);
    assert.equal(rankOf({ ...joined, seq: 10, referrals: 1, advanced: 50 }, 5), -45);
  });

  it('moves a person past exactly as many people per referral as the boost says', async (test) => {
    await assertProperty(
      test,
      import.meta.filename,
      fc.property(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 0, max: 20 }), (last, boost) => {
        const seqs = Array.from({ length: 60 }, (_, i) => i + 1);
        const order = (referred: number) =>
          seqs
            .map((seq) => ({
              seq,
              rank: rankOf({ ...joined, seq, referrals: seq === referred ? 1 : 0 }, boost),
            }))
            .sort((a, b) => a.rank - b.rank || b.seq - a.seq)
            .map(({ seq }) => seq);
        assert.equal(order(last).indexOf(last), Math.max(0, last - 1 - boost));
      }),
    );
  });
});
