import assert from 'node:assert/strict';
import { it } from 'node:test';
import { repeat } from './repeat.ts';

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
