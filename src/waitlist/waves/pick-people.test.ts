import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { assertProperty } from '../../../test/support/property.ts';
import { nextShare } from './pick-people.ts';

it('keeps each share within one person of its part after every place', async (test) => {
  const weights = fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 8 });
  const property = fc.property(weights, (given) => {
    const total = given.reduce((sum, weight) => sum + weight, 0);
    const shares = given.map((weight) => ({ weight, seats: 0 }));
    for (let places = 1; places <= 120; places += 1) {
      const share = nextShare(shares);
      assert.ok(share);
      share.seats += 1;
      for (const { weight, seats } of shares) assert.ok(Math.abs(seats - (places * weight) / total) < 1);
    }
  });
  await assertProperty(test, import.meta.filename, property, { numRuns: 100 });
});

it('lets a share that had nobody catch up', () => {
  const [pro, rest] = [
    { weight: 70, seats: 0 },
    { weight: 30, seats: 20 },
  ];
  for (let place = 0; place < 46; place += 1) {
    const share = nextShare([pro, rest]);
    assert.equal(share, pro);
    pro.seats += 1;
  }
});

it('has nothing to give without shares', () => {
  assert.equal(nextShare([]), undefined);
});
