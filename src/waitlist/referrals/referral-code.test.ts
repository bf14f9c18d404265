import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { assertProperty } from '../../../test/support/property.ts';
import { newQueueKeys, queueVault } from '../../vault/queue-vault.ts';
import { referralCodes } from './referral-code.ts';

const codes = referralCodes(queueVault('tag', newQueueKeys()));
const seqs = fc.integer({ min: 0, max: 2 ** 40 - 1 });

describe('referral codes', () => {
  it('resolve to their entry', async (test) => {
    await assertProperty(
      test,
      import.meta.filename,
      fc.property(seqs, (seq) => {
        assert.match(codes.of(seq), /^[0-9a-hjkmnp-tv-z]{8}$/);
        assert.equal(codes.seqOf(codes.of(seq)), seq);
      }),
    );
  });

  it('differ between entries and between queues', () => {
    const first = Array.from({ length: 10_000 }, (_, i) => codes.of(i + 1));
    assert.equal(new Set(first).size, 10_000);
    const others = referralCodes(queueVault('tag', newQueueKeys()));
    assert.notEqual(others.of(1), codes.of(1));
  });

  it('do not reveal the order of joining', () => {
    const ascending = Array.from({ length: 100 }, (_, i) => codes.of(i + 1));
    const sorted = [...ascending].sort();
    assert.notDeepEqual(ascending, sorted);
    assert.ok(new Set(ascending.map((code) => code[0])).size > 10);
  });

  it('are invalid with another length or other characters', () => {
    for (const text of ['', '0000000', '000000000', '0000000u', '0000000ü', 'ABCDEFGH']) {
      assert.equal(codes.seqOf(text), undefined, text);
    }
  });
});
