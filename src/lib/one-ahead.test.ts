import assert from 'node:assert/strict';
import { it } from 'node:test';
import { oneAhead } from './one-ahead.ts';

const endOfTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

it('has the next item made while the current one is used, and no more', async () => {
  const made: number[] = [];
  async function* numbers() {
    for (const number of [1, 2, 3, 4]) {
      made.push(number);
      yield number;
    }
  }
  const used: number[] = [];
  for await (const number of oneAhead(numbers())) {
    await endOfTurn();
    used.push(number);
    assert.deepEqual(made, [1, 2, 3, 4].slice(0, number + 1));
  }
  assert.deepEqual(used, [1, 2, 3, 4]);
});

it('throws the error of an item after the items before it', async () => {
  async function* failing() {
    yield 1;
    throw new Error('no second one');
  }
  const used: number[] = [];
  await assert.rejects(async () => {
    for await (const number of oneAhead(failing())) {
      await endOfTurn();
      used.push(number);
    }
  }, /no second one/);
  assert.deepEqual(used, [1]);
});

it('ends the items when nobody wants more of them, even if the next one fails', async () => {
  let ended = false;
  async function* failing() {
    try {
      yield 1;
      await endOfTurn();
      throw new Error('nobody asked');
    } finally {
      ended = true;
    }
  }
  for await (const number of oneAhead(failing())) {
    assert.equal(number, 1);
    break;
  }
  assert.ok(ended);
});
