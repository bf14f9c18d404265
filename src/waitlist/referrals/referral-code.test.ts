import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { assertProperty } from '../../../test/support/property.ts';
import { newVaultKeys, queueVault } from '../../vault/vault.ts';
import type { Queue } from '../queue/queue.ts';
import { LINK_BYTES, readVisitCode, referralCodes, visitCodeOf } from './referral-code.ts';

const codes = referralCodes(queueVault('tag', newVaultKeys()));
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
    const others = referralCodes(queueVault('tag', newVaultKeys()));
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

const queue = { vault: queueVault('tag', newVaultKeys()) } as Queue;

const link = fc
  .uint8Array({ minLength: LINK_BYTES, maxLength: LINK_BYTES })
  .map((bytes) => Buffer.from(bytes));

describe('referral codes of visits', () => {
  it('lead to their entry, and are others for each link', async (test) => {
    await assertProperty(
      test,
      import.meta.filename,
      fc.property(fc.integer({ min: 1, max: 2 ** 40 - 1 }), link, link, (seq, visit, other) => {
        const code = visitCodeOf(queue, seq, visit);
        assert.match(code, /^[0-9a-hjkmnp-tv-z]{16}$/);
        assert.deepEqual(readVisitCode(queue, code), { seq, link: visit });
        assert.equal(code === visitCodeOf(queue, seq, other), visit.equals(other));
      }),
    );
  });

  it('cannot be turned into those of others by changing characters', () => {
    const code = visitCodeOf(queue, 1, randomBytes(LINK_BYTES));
    for (let at = 0; at < code.length; at += 1) {
      const changed = code.slice(0, at) + (code[at] === '0' ? '1' : '0') + code.slice(at + 1);
      assert.ok((readVisitCode(queue, changed)?.seq ?? 0) > 1_000_000, changed);
    }
  });

  it('are invalid with another length or other characters', () => {
    for (const text of ['', '00000000', '000000000000000', '0'.repeat(17), `${'0'.repeat(15)}u`])
      assert.equal(readVisitCode(queue, text), undefined, text);
  });
});
