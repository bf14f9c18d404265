import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { QueueState } from '../queue/expected-queue.ts';
import { Foresight } from './foresight.ts';

const state = (last_seq: number) => ({ row: { last_seq, waiting: 0, listens: '' } }) as QueueState;

describe('foresight', () => {
  it('knows the state in which the last batch of a queue leaves it', () => {
    const foresight = new Foresight();
    assert.equal(foresight.take(1), undefined);
    foresight.willBe(1, state(5));
    foresight.willBe(2, state(7));
    foresight.willBe(1, state(6));
    assert.deepEqual([foresight.take(1), foresight.take(2)], [state(6), state(7)]);
  });

  it('is not relied on for a while after a mistake, and longer after each further one', () => {
    const foresight = new Foresight();
    foresight.willBe(1, state(1));
    const batchesWithout = () => {
      foresight.wasWrong(1);
      foresight.willBe(1, state(1));
      for (let batches = 0; ; batches += 1) if (foresight.take(1)) return batches;
    };
    assert.deepEqual(Array.from({ length: 8 }, batchesWithout), [1, 2, 4, 8, 16, 32, 64, 64]);
    foresight.wasRight(1);
    assert.equal(batchesWithout(), 1);
  });

  it('does not return a state that was wrong', () => {
    const foresight = new Foresight();
    foresight.willBe(1, state(1));
    foresight.wasWrong(1);
    assert.deepEqual([foresight.take(1), foresight.take(1)], [undefined, undefined]);
  });
});
