import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isServerKey, newServerKey } from './server-key-format.ts';

describe('server keys', () => {
  it('show by their prefix whether they are for production', () => {
    assert.match(newServerKey('production'), /^dl_live_[0-9A-Za-z]{34}$/);
    assert.match(newServerKey('development'), /^dl_test_[0-9A-Za-z]{34}$/);
    assert.match(newServerKey('staging'), /^dl_test_/);
  });

  it('have at least 160 random bits, and never repeat', () => {
    const keys = Array.from({ length: 500 }, () => newServerKey('production').slice('dl_live_'.length, -6));
    assert.equal(new Set(keys).size, 500);
    assert.ok(Math.log2(62) * (keys[0]?.length ?? 0) >= 160);
    assert.equal(new Set(keys.join('')).size, 62);
  });

  it('are recognized unless a single character is wrong', () => {
    const key = newServerKey('production');
    assert.ok(isServerKey(key));
    for (let at = 0; at < key.length; at += 1) {
      const wrong = key.slice(0, at) + (key[at] === 'x' ? 'y' : 'x') + key.slice(at + 1);
      assert.equal(isServerKey(wrong), false, wrong);
    }
  });

  it('are not recognized with another length, surrounding text or another prefix', () => {
    const key = newServerKey('production');
    const others = [
      '',
      key.slice(1),
      key.slice(0, -1),
      `${key}0`,
      ` ${key}`,
      `${key}\n`,
      key.replace('live', 'test'),
      key.toLowerCase(),
    ];
    for (const other of others) assert.equal(isServerKey(other), false, other);
  });
});
