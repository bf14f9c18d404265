import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';
import { newSharedMemory, type SharedMemory, sharedCounts } from './shared-counts.ts';

const THREADS = 4;
const ROUNDS = 5_000;
const LIMIT = 1_000;

/** Every thread adds up to a limit, in a sum and for three names, and says how often it could. */
const TAKE = `
  const { parentPort, workerData } = require('node:worker_threads');
  import(workerData.module).then(({ sharedCounts }) => {
    const counts = sharedCounts(workerData.memory);
    const sum = counts.sum('signups');
    const tally = counts.tally('limits', 'test');
    const taken = { sum: 0, names: 0 };
    for (let round = 0; round < ${ROUNDS}; round += 1) {
      if (sum.add(1, ${LIMIT})) taken.sum += 1;
      for (const name of ['a', 'b', 'c'])
        tally.change(name, (entry) => {
          if (entry.count >= ${LIMIT}) return;
          entry.count += 1;
          entry.at = 1;
          taken.names += 1;
        });
    }
    parentPort.postMessage(taken);
  });`;

async function takeOnThread(memory: SharedMemory): Promise<{ sum: number; names: number }> {
  const module = new URL('./shared-counts.ts', import.meta.url).href;
  const worker = new Worker(TAKE, { eval: true, workerData: { memory, module } });
  const [taken] = await once(worker, 'message');
  return taken;
}

describe('counts that threads share', () => {
  it('are exact, however many count at the same time', async () => {
    const memory = newSharedMemory();
    const taken = await Promise.all(Array.from({ length: THREADS }, () => takeOnThread(memory)));
    const total = (name: 'sum' | 'names') => taken.reduce((sum, each) => sum + each[name], 0);
    assert.deepEqual([total('sum'), total('names')], [LIMIT, 3 * LIMIT]);
    const counts = sharedCounts(memory);
    assert.equal(counts.sum('signups').value, LIMIT);
    assert.equal(
      counts.tally('limits', 'test').change('b', ({ count }) => count),
      LIMIT,
    );
  });

  it('are kept apart by kind and name, and forgotten at 0', () => {
    const counts = sharedCounts(newSharedMemory());
    const add = (kind: 'limits' | 'held', name: string, amount: number) =>
      counts.tally(kind, name).change('a', (entry) => {
        const before = { ...entry };
        Object.assign(entry, { count: entry.count + amount, at: 7 });
        return before;
      });
    assert.deepEqual(add('limits', 'one', 2), { count: 0, at: 0 });
    assert.deepEqual(add('limits', 'other', 1), { count: 0, at: 0 });
    assert.deepEqual(add('held', 'one', 1), { count: 0, at: 0 });
    assert.deepEqual(add('limits', 'one', -3), { count: 2, at: 7 });
    assert.deepEqual(add('limits', 'one', 0), { count: 0, at: 0 });
  });

  it('stay as they were if a change throws', () => {
    const tally = sharedCounts(newSharedMemory()).tally('attempts', 'test');
    const count = () => tally.change('a', (entry) => entry.count);
    tally.change('a', (entry) => {
      entry.count = 1;
    });
    assert.throws(() =>
      tally.change('a', (entry) => {
        entry.count = 2;
        throw new Error('no');
      }),
    );
    assert.equal(count(), 1);
  });

  it('of the earliest time are forgotten first when there are too many', () => {
    const tally = sharedCounts(newSharedMemory()).tally('held', 'test');
    const note = (name: string, at: number) =>
      tally.change(name, (entry) => Object.assign(entry, { count: 1, at }));
    const known = (name: string) => tally.change(name, ({ count }) => count === 1);
    const [early, late] = [0, 200_000].map((first) =>
      Array.from({ length: 20_000 }, (_, n) => `${first + n}`),
    );
    for (const name of early ?? []) note(name, 1);
    for (let n = 0; n < 60_000; n += 1) note(`other ${n}`, 2);
    for (const name of late ?? []) note(name, 3);
    const share = (names: string[] = []) => names.filter(known).length / names.length;
    assert.ok(share(late) > 0.99, String(share(late)));
    assert.ok(share(early) < share(late), String(share(early)));
  });
});
