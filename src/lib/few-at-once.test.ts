import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import { fewAtOnce } from './few-at-once.ts';

const endOfTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Work that ends when the test says so. */
function works() {
  const begun: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const work = (name: string) => () =>
    new Promise<string>((resolve, reject) => {
      begun.push(name);
      ends.set(name, (error) => (error ? reject(error) : resolve(`did ${name}`)));
    });
  return { begun, work, end: (name: string, error?: Error) => ends.get(name)?.(error) };
}

describe('few at once', () => {
  it('run, each in its own turn, and the others follow in order, also after a failure', async () => {
    const { begun, work, end } = works();
    const few = fewAtOnce({ most: 2, longestWaitMs: 60_000 });
    const done = Promise.allSettled(['a', 'b', 'c', 'd'].map((name) => few(work(name))));
    assert.deepEqual(begun, []);
    await endOfTurn();
    await endOfTurn();
    assert.deepEqual(begun, ['a', 'b']);
    end('b', new Error('no'));
    await endOfTurn();
    await endOfTurn();
    assert.deepEqual(begun, ['a', 'b', 'c']);
    end('a');
    await endOfTurn();
    await endOfTurn();
    assert.deepEqual(begun, ['a', 'b', 'c', 'd']);
    end('c');
    end('d');
    assert.deepEqual(
      (await done).map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
    );
  });

  it('refuses what has waited too long, and never begins it', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const { begun, work, end } = works();
      const few = fewAtOnce({ most: 1, longestWaitMs: 1_000 });
      const first = few(work('a'));
      const late = assert.rejects(few(work('b')), { code: 'unavailable' });
      await endOfTurn();
      mock.timers.tick(1_000);
      await late;
      const third = few(work('c'));
      end('a');
      assert.equal(await first, 'did a');
      await endOfTurn();
      await endOfTurn();
      end('c');
      assert.equal(await third, 'did c');
      assert.deepEqual(begun, ['a', 'c']);
    } finally {
      mock.timers.reset();
    }
  });
});
