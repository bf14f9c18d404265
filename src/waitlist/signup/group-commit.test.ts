import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { GroupCommit, type GroupCommitOptions } from './group-commit.ts';

type Request = { name: string; weight?: number };

/** Group commit whose batches are committed by hand. */
function committedByHand(options: Partial<GroupCommitOptions<Request, string>> = {}) {
  const begun: {
    queueId: number;
    requests: string[];
    lock(): void;
    commit(): void;
    fail(error: Error): void;
  }[] = [];
  const group = new GroupCommit<Request, string>({
    commit: (queueId, requests, locked) =>
      new Promise((resolve, reject) => {
        const names = requests.map(({ name }) => name);
        begun.push({
          queueId,
          requests: names,
          lock: locked,
          commit: () => resolve(names.map((name) => `did ${name}`)),
          fail: reject,
        });
      }),
    isolate: () => true,
    weigh: ({ weight = 1 }) => weight,
    batchWeight: { least: 100, most: 100 },
    mostWaiting: 1_000,
    longestWaitMs: 10_000,
    now: () => Date.now(),
    ...options,
  });
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return { group, begun, turn };
}

describe('group commit', () => {
  it('writes a single request immediately', async () => {
    const { group, begun } = committedByHand();
    const result = group.submit(1, { name: 'a' });
    begun[0]?.commit();
    assert.equal(await result, 'did a');
  });

  it('collects requests that arrive during a batch into the next one, in order', async () => {
    const { group, begun, turn } = committedByHand();
    const results = ['a', 'b', 'c', 'd'].map((name) => group.submit(1, { name }));
    await turn();
    assert.deepEqual(
      begun.map(({ requests }) => requests),
      [['a']],
    );
    begun[0]?.commit();
    await turn();
    assert.deepEqual(
      begun.map(({ requests }) => requests),
      [['a'], ['b', 'c', 'd']],
    );
    begun[1]?.commit();
    assert.deepEqual(await Promise.all(results), ['did a', 'did b', 'did c', 'did d']);
  });

  it('writes batches of different queues concurrently', async () => {
    const { group, begun, turn } = committedByHand();
    const one = group.submit(1, { name: 'a' });
    const two = group.submit(2, { name: 'b' });
    await turn();
    assert.deepEqual(
      begun.map(({ queueId, requests }) => [queueId, requests]),
      [
        [1, ['a']],
        [2, ['b']],
      ],
    );
    begun[1]?.commit();
    assert.equal(await two, 'did b');
    begun[0]?.commit();
    assert.equal(await one, 'did a');
  });

  it('fills batches up to the maximum weight, and writes a heavier request alone', async () => {
    const { group, begun, turn } = committedByHand({ batchWeight: { least: 10, most: 10 } });
    const results = [1, 4, 6, 50, 1].map((weight, i) => group.submit(1, { name: `${i}`, weight }));
    for (let i = 0; i < 5; i += 1) {
      await turn();
      begun.at(-1)?.commit();
    }
    await Promise.all(results);
    assert.deepEqual(
      begun.map(({ requests }) => requests),
      [['0'], ['1', '2'], ['3'], ['4']],
    );
  });

  describe('when a batch has its lock', () => {
    const batches = (begun: readonly { requests: string[] }[]) =>
      begun.map(({ requests }) => requests.join(''));

    it('lets one more queue up for it, with all that wait', async () => {
      const { group, begun, turn } = committedByHand();
      const results = ['a', 'b', 'c'].map((name) => group.submit(1, { name }));
      assert.deepEqual(batches(begun), ['a']);
      begun[0]?.lock();
      assert.deepEqual(batches(begun), ['a', 'bc']);
      begun[0]?.lock(); // A transaction that runs again takes its lock again.
      results.push(group.submit(1, { name: 'd', weight: 2 }));
      assert.deepEqual(batches(begun), ['a', 'bc'], 'the second has no lock yet');
      begun[0]?.commit();
      await turn();
      assert.deepEqual(batches(begun), ['a', 'bc']);
      begun[1]?.lock();
      assert.deepEqual(batches(begun), ['a', 'bc', 'd']);
      for (const { commit } of begun) commit();
      assert.deepEqual(await Promise.all(results), ['did a', 'did b', 'did c', 'did d']);
    });

    it('lets none queue up with less than its weight, or while other queues are written', async () => {
      const { group, begun, turn } = committedByHand();
      const results = [group.submit(1, { name: 'a', weight: 5 }), group.submit(1, { name: 'b', weight: 3 })];
      begun[0]?.lock();
      assert.deepEqual(batches(begun), ['a']);
      const other = group.submit(2, { name: 'x' });
      results.push(group.submit(1, { name: 'c', weight: 2 }));
      assert.deepEqual(batches(begun), ['a', 'x']);
      begun[1]?.commit();
      await other;
      await turn();
      results.push(group.submit(1, { name: 'd' }));
      assert.deepEqual(batches(begun), ['a', 'x', 'bcd']);
      for (const { commit } of begun) commit();
      assert.equal((await Promise.all(results)).length, 4);
    });

    it('fails neither because of the other, and continues after both', async () => {
      const { group, begun, turn } = committedByHand({ isolate: () => false });
      const [one, two] = [group.submit(1, { name: 'a' }), group.submit(1, { name: 'b' })];
      begun[0]?.lock();
      begun[0]?.fail(new Error('no'));
      await assert.rejects(one, { message: 'no' });
      begun[1]?.lock();
      begun[1]?.commit();
      assert.equal(await two, 'did b');
      await turn();
      const three = group.submit(1, { name: 'c' });
      begun[2]?.commit();
      assert.equal(await three, 'did c');
    });
  });

  it('takes half of what is not committed yet into a batch, within bounds', async () => {
    const { group, begun, turn } = committedByHand({ batchWeight: { least: 2, most: 6 } });
    const results = Array.from({ length: 23 }, (_, n) => group.submit(1, { name: `${n}` }));
    for (let commits = 0; commits < 7; commits += 1) {
      begun.at(-1)?.commit();
      await turn();
    }
    assert.deepEqual(
      begun.map(({ requests }) => requests.length),
      [1, 6, 6, 5, 2, 2, 1],
    );
    assert.equal((await Promise.all(results)).length, 23);
  });

  it('counts what is being written as not committed', async () => {
    const { group, begun } = committedByHand({ batchWeight: { least: 2, most: 100 } });
    const results = Array.from({ length: 6 }, (_, n) => group.submit(1, { name: `${n}`, weight: 2 }));
    begun[0]?.lock();
    assert.deepEqual(
      begun.map(({ requests }) => requests.length),
      [1, 3],
    );
    for (let first = 0; first < begun.length; first += 1) {
      begun[first]?.commit();
      await new Promise(setImmediate);
    }
    assert.equal((await Promise.all(results)).length, 6);
  });

  it('retries a failed batch one by one, so that one request cannot fail another', async () => {
    const attempts: string[][] = [];
    const { group } = committedByHand({
      commit: async (_, requests) => {
        const names = requests.map(({ name }) => name);
        attempts.push(names);
        if (names.includes('bad')) throw new Error('no');
        return names;
      },
    });
    const outcomes = await Promise.allSettled(
      ['first', 'a', 'bad', 'b'].map((name) => group.submit(1, { name })),
    );
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
    );
    assert.deepEqual(attempts, [['first'], ['a', 'bad', 'b'], ['a'], ['bad'], ['b']]);
  });

  it('fails a whole batch at once when a retry cannot help', async () => {
    let attempts = 0;
    const { group } = committedByHand({
      isolate: () => false,
      commit: async () => {
        attempts += 1;
        throw new Error('closed');
      },
    });
    const outcomes = await Promise.allSettled(['a', 'b', 'c'].map((name) => group.submit(1, { name })));
    assert.ok(outcomes.every(({ status }) => status === 'rejected'));
    assert.equal(attempts, 2);
  });

  it('refuses with 503 when the backlog over all queues is full, and accepts again when there is room', async () => {
    const { group, begun, turn } = committedByHand({ mostWaiting: 10 });
    const first = group.submit(1, { name: 'a', weight: 6 });
    const second = group.submit(2, { name: 'b', weight: 4 });
    await assert.rejects(group.submit(3, { name: 'c' }), { code: 'unavailable', retryAfterSeconds: 1 });
    begun[0]?.commit();
    await first;
    await turn();
    const third = group.submit(1, { name: 'd', weight: 6 });
    await turn();
    for (const { commit } of begun) commit();
    assert.deepEqual(await Promise.all([second, third]), ['did b', 'did d']);
  });

  describe('when requests wait too long', () => {
    const tooLong = { code: 'unavailable', retryAfterSeconds: 1 };
    beforeEach(() => mock.timers.enable({ apis: ['setTimeout', 'Date'] }));
    afterEach(() => mock.timers.reset());

    it('refuses them with 503, never writes them, and frees their room', async () => {
      const { group, begun, turn } = committedByHand({ mostWaiting: 3 });
      const first = group.submit(1, { name: 'under way' });
      const early = group.submit(1, { name: 'early' });
      mock.timers.tick(6_000);
      const late = group.submit(1, { name: 'late' });
      mock.timers.tick(3_999);
      await assert.rejects(group.submit(1, { name: 'no room' }), /too many signups/);
      mock.timers.tick(1);
      await assert.rejects(early, tooLong);
      const next = group.submit(1, { name: 'next' });
      begun[0]?.commit();
      assert.equal(await first, 'did under way');
      await turn();
      begun[1]?.commit();
      assert.deepEqual(await Promise.all([late, next]), ['did late', 'did next']);
      assert.deepEqual(
        begun.map(({ requests }) => requests),
        [['under way'], ['late', 'next']],
      );
    });

    it('refuses each request when its own time is up, in every queue', async () => {
      const { group, begun } = committedByHand();
      const underWay = [group.submit(1, { name: 'a' }), group.submit(2, { name: 'b' })];
      const refused: string[] = [];
      const waiting = [
        [1, 'one'],
        [2, 'two'],
        [1, 'three'],
      ].map(async ([queueId, name]) => {
        const request = group.submit(queueId as number, { name: name as string });
        mock.timers.tick(1_000);
        await assert.rejects(request, tooLong);
        refused.push(name as string);
      });
      mock.timers.tick(7_000);
      for (const left of [1, 2, 3]) {
        await waiting[left - 1];
        assert.equal(refused.length, left);
        mock.timers.tick(1_000);
      }
      for (const { commit } of begun) commit();
      assert.deepEqual(await Promise.all(underWay), ['did a', 'did b']);
    });

    it('does not retry requests that have waited too long by then', async () => {
      const { group, begun, turn } = committedByHand();
      const first = group.submit(1, { name: 'first' });
      const [one, two] = [group.submit(1, { name: 'one' }), group.submit(1, { name: 'two' })];
      begun[0]?.commit();
      await first;
      await turn();
      begun[1]?.fail(new Error('the batch failed'));
      await turn();
      mock.timers.tick(10_000);
      begun[2]?.commit();
      assert.equal(await one, 'did one');
      await assert.rejects(two, tooLong);
      assert.deepEqual(
        begun.map(({ requests }) => requests),
        [['first'], ['one', 'two'], ['one']],
      );
    });
  });

  it('frees the room of failed requests, too', async () => {
    const { group, turn } = committedByHand({
      mostWaiting: 1,
      commit: () => Promise.reject(new Error('no')),
    });
    for (let i = 0; i < 3; i += 1) {
      await assert.rejects(group.submit(1, { name: 'a' }), { message: 'no' });
      await turn();
    }
  });
});
