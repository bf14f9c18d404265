import assert from 'node:assert/strict';
import { it } from 'node:test';
import { parseDuration } from './duration.ts';

it('durations are a number with a unit, or 0, up to a hundred years', () => {
  const hour = 3_600_000;
  const given = { '90s': 90_000, '30m': hour / 2, '24h': 24 * hour, '14d': 336 * hour, '0': 0, '0s': 0 };
  for (const [text, ms] of Object.entries(given)) assert.equal(parseDuration(text), ms, text);
  assert.equal(parseDuration('36500d'), 36_500 * 24 * hour);
  for (const text of ['', '5', 's', '1w', '-1d', '1.5h', '1h ', '36501d', '9999999999s', '1D'])
    assert.equal(parseDuration(text), undefined, text);
});
