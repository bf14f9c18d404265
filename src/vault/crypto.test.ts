import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { randomBytes } from '../lib/ids.ts';
import { deriveKey, keyedHash, open, plainHash, seal, sealedBy, sealingKey, Unreadable } from './crypto.ts';

const key = sealingKey(Buffer.alloc(32, 1));
const place = Buffer.from('queue\0entry\0row');

describe('seal and open', () => {
  it('return what was sealed, whatever its length', () => {
    for (const length of [0, 1, 100, 100_000]) {
      const message = randomBytes(length);
      assert.deepEqual(open(key, place, seal(key, place, message)), message);
    }
  });

  it('seal the same message differently each time', () => {
    assert.notDeepEqual(seal(key, place, Buffer.from('x')), seal(key, place, Buffer.from('x')));
  });

  it('record which key sealed the message', () => {
    assert.deepEqual(sealedBy(seal(key, place, Buffer.from('x'))), key.id);
    assert.notDeepEqual(sealingKey(Buffer.alloc(32, 2)).id, key.id);
  });

  it('fail in another place or with another key', () => {
    const sealed = seal(key, place, Buffer.from('x'));
    assert.throws(() => open(key, Buffer.from('elsewhere'), sealed), Unreadable);
    assert.throws(() => open(sealingKey(Buffer.alloc(32, 2)), place, sealed), Unreadable);
    const disguised = { id: key.id, key: Buffer.alloc(32, 2) };
    assert.throws(() => open(disguised, place, sealed), Unreadable);
  });

  it('fail when any bit is flipped or any byte is missing or added', () => {
    const sealed = seal(key, place, Buffer.from('message'));
    for (let at = 0; at < sealed.length; at += 1) {
      const flipped = Buffer.from(sealed);
      flipped[at] = (flipped[at] ?? 0) ^ (1 << (at % 8));
      assert.throws(() => open(key, place, flipped), Unreadable);
      assert.throws(() => open(key, place, sealed.subarray(0, at)), Unreadable);
    }
    assert.throws(() => open(key, place, Buffer.concat([sealed, Buffer.alloc(1)])), Unreadable);
  });
});

describe('hashes', () => {
  it('depend on the key, and are not truncated', () => {
    const hash = keyedHash(key.key, Buffer.from('x'));
    assert.equal(hash.length, 32);
    assert.deepEqual(hash, keyedHash(key.key, Buffer.from('x')));
    assert.notDeepEqual(hash, keyedHash(Buffer.alloc(32, 2), Buffer.from('x')));
    assert.notDeepEqual(plainHash('x'), plainHash('y'));
  });

  it('match the published BLAKE2b', () => {
    const expected = '0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8';
    assert.equal(plainHash('').toString('hex'), expected);
  });

  it('derive a different key for each purpose', () => {
    assert.notDeepEqual(deriveKey(key.key, 'one'), deriveKey(key.key, 'two'));
  });
});

describe('randomBytes', () => {
  it('never returns the same bytes twice, even after many pool refills', () => {
    const drawn = Array.from({ length: 2_000 }, () => randomBytes(16).toString('hex'));
    assert.equal(new Set(drawn).size, drawn.length);
    assert.equal(randomBytes(10_000).length, 10_000);
    assert.equal(new Set(randomBytes(10_000)).size, 256);
  });
});
