import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { localCounts } from '../lib/counts.ts';
import { DoorlistError } from '../lib/errors.ts';
import { slowDown } from './slow-down.ts';

/** Seconds to wait; 0: let in. */
function attempt({ begin }: ReturnType<typeof slowDown>, who = 'ada'): number {
  try {
    begin(who);
    return 0;
  } catch (error) {
    assert.ok(error instanceof DoorlistError && error.code === 'rate_limited');
    return error.retryAfterSeconds ?? 0;
  }
}

describe('slowing down', () => {
  it('lets five attempts pass, and then doubles the wait up to 15 minutes', () => {
    let now = 1e12;
    const slow = slowDown({ clock: () => now, counts: localCounts() });
    for (let i = 0; i < 5; i += 1) assert.equal(attempt(slow), 0);
    const waits: number[] = [];
    for (let i = 0; i < 12; i += 1) {
      const seconds = attempt(slow);
      waits.push(seconds);
      assert.equal(attempt(slow), seconds, 'an attempt that is refused does not count');
      now += seconds * 1_000;
      assert.equal(attempt(slow), 0);
    }
    assert.deepEqual(waits, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]);
  });

  it('counts each by itself, and forgets after success or an hour', () => {
    let now = 1e12;
    const slow = slowDown({ clock: () => now, counts: localCounts() });
    for (let i = 0; i < 5; i += 1) attempt(slow);
    assert.equal(attempt(slow, 'grace'), 0);
    assert.equal(attempt(slow), 1);
    slow.forget('ada');
    assert.equal(attempt(slow), 0);
    for (let i = 0; i < 4; i += 1) attempt(slow);
    assert.equal(attempt(slow), 1);
    now += 3_600_000;
    for (let i = 0; i < 5; i += 1) assert.equal(attempt(slow), 0);
  });
});
