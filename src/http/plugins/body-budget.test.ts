import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { localCounts } from '../../lib/counts.ts';
import { bodyBudget } from './body-budget.ts';

describe('bodyBudget', () => {
  const counts = localCounts();
  it('refuses a client over its share, and frees what is released', () => {
    const budget = bodyBudget(
      { total: 100, perClient: 10 },
      counts.tally('held', 'test'),
      counts.sum('open bodies'),
    );
    budget.hold('a', 6);
    assert.throws(() => budget.hold('a', 5), { code: 'rate_limited', retryAfterSeconds: 1 });
    budget.hold('b', 10);
    budget.hold('a', 4);
    budget.release('a', 10);
    budget.hold('a', 10);
  });

  it('refuses everyone over the total, and does not count what it refused', () => {
    const budget = bodyBudget(
      { total: 15, perClient: 10 },
      counts.tally('held', 'test'),
      counts.sum('open bodies'),
    );
    budget.hold('a', 10);
    assert.throws(() => budget.hold('b', 6), { code: 'unavailable', retryAfterSeconds: 1 });
    budget.hold('b', 5);
    budget.release('b', 5);
    budget.hold('c', 5);
  });
});
