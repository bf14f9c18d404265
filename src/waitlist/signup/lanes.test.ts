import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { type LaneOptions, Lanes } from './lanes.ts';

type Job = { name: string; weight?: number };

/** Lanes whose groups are committed by hand. */
function lanes(options: Partial<LaneOptions<Job, string>> = {}) {
  const begun: { lane: number; jobs: string[]; commit(): void; fail(error: Error): void }[] = [];
  const made = new Lanes<Job, string>({
    commit: (lane, jobs) =>
      new Promise((resolve, reject) => {
        const names = jobs.map(({ name }) => name);
        begun.push({
          lane,
          jobs: names,
          commit: () => resolve(names.map((name) => `did ${name}`)),
          fail: reject,
        });
      }),
    isolate: () => true,
    weigh: ({ weight = 1 }) => weight,
    groupWeight: 100,
    mostWaiting: 1_000,
    longestWaitMs: 10_000,
    now: () => Date.now(),
    ...options,
  });
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return { lanes: made, begun, turn };
}

describe('Lanes', () => {
  it('does a lone job at once', async () => {
    const { lanes: made, begun } = lanes();
    const result = made.submit(1, { name: 'a' });
    begun[0]?.commit();
    assert.equal(await result, 'did a');
  });

  it('gathers what arrives while a group is under way into the next one, in order', async () => {
    const { lanes: made, begun, turn } = lanes();
    const results = ['a', 'b', 'c', 'd'].map((name) => made.submit(1, { name }));
    await turn();
    assert.deepEqual(
      begun.map(({ jobs }) => jobs),
      [['a']],
    );
    begun[0]?.commit();
    await turn();
    assert.deepEqual(
      begun.map(({ jobs }) => jobs),
      [['a'], ['b', 'c', 'd']],
    );
    begun[1]?.commit();
    assert.deepEqual(await Promise.all(results), ['did a', 'did b', 'did c', 'did d']);
  });

  it('lets lanes go side by side', async () => {
    const { lanes: made, begun, turn } = lanes();
    const one = made.submit(1, { name: 'a' });
    const two = made.submit(2, { name: 'b' });
    await turn();
    assert.deepEqual(
      begun.map(({ lane, jobs }) => [lane, jobs]),
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

  it('makes groups up to their weight, and takes a heavier job alone', async () => {
    const { lanes: made, begun, turn } = lanes({ groupWeight: 10 });
    const results = [1, 4, 6, 50, 1].map((weight, i) => made.submit(1, { name: `${i}`, weight }));
    for (let i = 0; i < 5; i += 1) {
      await turn();
      begun.at(-1)?.commit();
    }
    await Promise.all(results);
    assert.deepEqual(
      begun.map(({ jobs }) => jobs),
      [['0'], ['1', '2'], ['3'], ['4']],
    );
  });

  it('tries a failed group again one by one, so that one cannot fail another', async () => {
    const attempts: string[][] = [];
    const { lanes: made } = lanes({
      commit: async (_, jobs) => {
        const names = jobs.map(({ name }) => name);
        attempts.push(names);
        if (names.includes('bad')) throw new Error('no');
        return names;
      },
    });
    const outcomes = await Promise.allSettled(
      ['first', 'a', 'bad', 'b'].map((name) => made.submit(1, { name })),
    );
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
    );
    assert.deepEqual(attempts, [['first'], ['a', 'bad', 'b'], ['a'], ['bad'], ['b']]);
  });

  it('fails a whole group at once where trying again is no use', async () => {
    let attempts = 0;
    const { lanes: made } = lanes({
      isolate: () => false,
      commit: async () => {
        attempts += 1;
        throw new Error('closed');
      },
    });
    const outcomes = await Promise.allSettled(['a', 'b', 'c'].map((name) => made.submit(1, { name })));
    assert.ok(outcomes.every(({ status }) => status === 'rejected'));
    assert.equal(attempts, 2);
  });

  it('refuses past its backlog with 503, over all lanes, and takes jobs again when there is room', async () => {
    const { lanes: made, begun, turn } = lanes({ mostWaiting: 10 });
    const first = made.submit(1, { name: 'a', weight: 6 });
    const second = made.submit(2, { name: 'b', weight: 4 });
    await assert.rejects(made.submit(3, { name: 'c' }), { code: 'unavailable', retryAfterSeconds: 1 });
    begun[0]?.commit();
    await first;
    await turn();
    const third = made.submit(1, { name: 'd', weight: 6 });
    await turn();
    for (const { commit } of begun) commit();
    assert.deepEqual(await Promise.all([second, third]), ['did b', 'did d']);
  });

  describe('when jobs wait for too long', () => {
    const tooLong = { code: 'unavailable', retryAfterSeconds: 1 };
    beforeEach(() => mock.timers.enable({ apis: ['setTimeout', 'Date'] }));
    afterEach(() => mock.timers.reset());

    it('refuses them with 503 and never does them, and gives their room back', async () => {
      const { lanes: made, begun, turn } = lanes({ mostWaiting: 3 });
      const first = made.submit(1, { name: 'under way' });
      const early = made.submit(1, { name: 'early' });
      mock.timers.tick(6_000);
      const late = made.submit(1, { name: 'late' });
      mock.timers.tick(3_999);
      await assert.rejects(made.submit(1, { name: 'no room' }), /too many signups/);
      mock.timers.tick(1);
      await assert.rejects(early, tooLong);
      const next = made.submit(1, { name: 'next' });
      begun[0]?.commit();
      assert.equal(await first, 'did under way');
      await turn();
      begun[1]?.commit();
      assert.deepEqual(await Promise.all([late, next]), ['did late', 'did next']);
      assert.deepEqual(
        begun.map(({ jobs }) => jobs),
        [['under way'], ['late', 'next']],
      );
    });

    it('refuses each in its own time, in every lane', async () => {
      const { lanes: made, begun } = lanes();
      const underWay = [made.submit(1, { name: 'a' }), made.submit(2, { name: 'b' })];
      const refused: string[] = [];
      const waiting = [
        [1, 'one'],
        [2, 'two'],
        [1, 'three'],
      ].map(async ([lane, name]) => {
        const job = made.submit(lane as number, { name: name as string });
        mock.timers.tick(1_000);
        await assert.rejects(job, tooLong);
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

    it('does not start those again one by one that have waited for too long since', async () => {
      const { lanes: made, begun, turn } = lanes();
      const first = made.submit(1, { name: 'first' });
      const [one, two] = [made.submit(1, { name: 'one' }), made.submit(1, { name: 'two' })];
      begun[0]?.commit();
      await first;
      await turn();
      begun[1]?.fail(new Error('the group failed'));
      await turn();
      mock.timers.tick(10_000);
      begun[2]?.commit();
      assert.equal(await one, 'did one');
      await assert.rejects(two, tooLong);
      assert.deepEqual(
        begun.map(({ jobs }) => jobs),
        [['first'], ['one', 'two'], ['one']],
      );
    });
  });

  it('gives the room of failed jobs back too', async () => {
    const { lanes: made, turn } = lanes({ mostWaiting: 1, commit: () => Promise.reject(new Error('no')) });
    for (let i = 0; i < 3; i += 1) {
      await assert.rejects(made.submit(1, { name: 'a' }), { message: 'no' });
      await turn();
    }
  });
});
