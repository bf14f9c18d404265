import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DELAYS_MS, delayAfter, parseRetryAfter } from './deliver.ts';

const HOUR_MS = 60 * 60 * 1000;

describe('a retry', () => {
  it('follows the schedule, and ends with it', () => {
    assert.equal(
      delayAfter(1, 0, () => 0),
      5_000,
    );
    assert.equal(
      delayAfter(DELAYS_MS.length - 1, 0, () => 0),
      24 * HOUR_MS,
    );
    assert.equal(
      delayAfter(DELAYS_MS.length, 0, () => 0),
      null,
    );
  });

  it('has up to 10% jitter, and is never early', () => {
    assert.equal(
      delayAfter(1, 0, () => 0.999_999),
      5_499,
    );
  });

  it('waits as long as the receiver asks, up to a day', () => {
    assert.equal(
      delayAfter(1, 60_000, () => 0),
      60_000,
    );
    assert.equal(
      delayAfter(1, 1_000, () => 0),
      5_000,
    );
    assert.equal(
      delayAfter(1, 999 * HOUR_MS, () => 0),
      24 * HOUR_MS,
    );
  });

  it('reads Retry-After as seconds or as a date', () => {
    const now = Date.UTC(2026, 0, 1);
    assert.equal(parseRetryAfter('120', now), 120_000);
    for (const digits of [13, 400]) assert.ok(parseRetryAfter('9'.repeat(digits), now) >= 24 * HOUR_MS);
    assert.equal(parseRetryAfter(new Date(now + 30_000).toUTCString(), now), 30_000);
    assert.equal(parseRetryAfter(new Date(now - 30_000).toUTCString(), now), 0);
    for (const header of [undefined, '', 'soon', '-1', '1.5', '2026-01-02'])
      assert.equal(parseRetryAfter(header, now), 0, header);
  });
});
