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
  const limits = { most: 2, longestWaitMs: 60_000, giveWay: async () => {} };

  it('run, each in its own turn, and the others follow in order, also after a failure', async () => {
    const { begun, work, end } = works();
    const few = fewAtOnce(limits);
    const done = Promise.allSettled(['a', 'b', 'c', 'd'].map((name) => few('caller', work(name))));
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
      const few = fewAtOnce({ ...limits, most: 1, longestWaitMs: 1_000 });
      const first = few('caller', work('a'));
      const late = assert.rejects(few('caller', work('b')), { code: 'unavailable' });
      await endOfTurn();
      mock.timers.tick(1_000);
      await late;
      const third = few('caller', work('c'));
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

  it('take turns between callers, however many each caller wants', async () => {
    const begun: string[] = [];
    const few = fewAtOnce({ ...limits, most: 1 });
    const wanted = { a: ['a1', 'a2', 'a3', 'a4'], b: ['b1'], c: ['c1', 'c2'] };
    await Promise.all(
      Object.entries(wanted).flatMap(([caller, names]) =>
        names.map((name) => few(caller, async () => begun.push(name))),
      ),
    );
    assert.deepEqual(begun, ['a1', 'b1', 'c1', 'a2', 'c2', 'a3', 'a4']);
  });

  it('give way to other work, by the time that they took, before the next one begins', async () => {
    const story: string[] = [];
    let now = 0;
    const giveWay = async (ms: number) => {
      if (ms > 0) story.push(`gave way for ${ms}`);
    };
    const few = fewAtOnce({ ...limits, most: 1, giveWay, now: () => now });
    const work = (name: string, takes: number) => async () => {
      story.push(name);
      await endOfTurn();
      now += takes;
    };
    await Promise.all([few('x', work('a', 5)), few('x', work('b', 7)), few('x', work('c', 1))]);
    assert.deepEqual(story, ['a', 'gave way for 5', 'b', 'gave way for 7', 'c']);
  });
});
