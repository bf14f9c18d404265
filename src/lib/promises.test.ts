import assert from 'node:assert/strict';
import { it } from 'node:test';
import { oneAhead, repeat } from './promises.ts';

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

it('repeated work never overlaps itself, goes on after a failure, and is waited for at the end', async (test) => {
  test.mock.timers.enable({ apis: ['setInterval'] });
  let started = 0;
  let finish = (_error?: Error): void => {};
  const stop = repeat(100, () => {
    started += 1;
    return new Promise<void>((resolve, reject) => {
      finish = (error) => (error ? reject(error) : resolve());
    });
  });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  test.mock.timers.tick(350);
  assert.equal(started, 1, 'the first is still running');
  finish(new Error('no luck'));
  await settle();
  test.mock.timers.tick(100);
  assert.equal(started, 2);
  let stopped = false;
  const stopping = stop().then(() => {
    stopped = true;
  });
  await settle();
  assert.equal(stopped, false);
  finish();
  await stopping;
  test.mock.timers.tick(1_000);
  assert.equal(started, 2);
});
