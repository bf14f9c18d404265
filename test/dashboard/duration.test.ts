import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { standardExpiry } from '../../web/src/pages/invites/expiry.ts';
import { expiryOptions } from '../../web/src/pages/settings/durations.ts';
import { durationInWords } from '../../web/src/ui/duration.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

describe('durations in the dashboard', () => {
  it('are said exactly, in the largest unit', () => {
    const words = [DAY_MS, 14 * DAY_MS, HOUR_MS, 36 * HOUR_MS, 90 * MINUTE_MS, MINUTE_MS, 1].map(
      durationInWords,
    );
    assert.deepEqual(words, ['1 day', '14 days', '1 hour', '36 hours', '90 minutes', '1 minute', '1 minute']);
  });

  it('of invites can be any that the API was given', () => {
    assert.deepEqual(expiryOptions(String(20 * MINUTE_MS)).at(-1)?.label, 'After 20 minutes');
    assert.deepEqual(expiryOptions(String(HOUR_MS)).at(-1)?.label, 'After 1 hour');
    assert.equal(standardExpiry(20 * MINUTE_MS), 'Default of the waitlist: after 20 minutes');
    assert.equal(standardExpiry(DAY_MS), 'Default of the waitlist: after 1 day');
  });
});
