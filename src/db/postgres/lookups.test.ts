import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DatabaseUnavailable } from '../database.ts';
import { lookup } from '../statement.ts';
import { openLookups } from './lookups.ts';
import type { Command } from './session.ts';

const findQueue = lookup<{ id: number }, { id: number }>({ id: 'bigint' }, (db, parameter) =>
  db.query.selectFrom('queue').select('id').where('id', '=', parameter('id')),
);
const findWaitlist = lookup<{ id: number }, { id: number }>({ id: 'bigint' }, (db, parameter) =>
  db.query.selectFrom('waitlist').select('id').where('id', '=', parameter('id')),
);

interface Sent {
  ids: number[];
  /** Finds every id below 1000. */
  answer(): Promise<void>;
  fail(error: Error): Promise<void>;
}

/** A server that answers when the test says so. */
function server() {
  const sent: Sent[] = [];
  const find = openLookups(
    (command: Command) =>
      new Promise((resolve, reject) => {
        const ids = JSON.parse(
          String(command.values?.at(-1)).replace('{', '[').replace('}', ']'),
        ) as number[];
        const rows = ids.map((id, index) => ({ key_number: index + 1, id })).filter(({ id }) => id < 1_000);
        sent.push({
          ids,
          answer: () => {
            resolve({ rows: rows.reverse(), command: 'SELECT', count: rows.length });
            return endOfTurn();
          },
          fail: (error) => {
            reject(error);
            return endOfTurn();
          },
        });
      }),
  );
  return {
    sent,
    find: (id: number) => find(findQueue, { id }),
    findWaitlist: (id: number) => find(findWaitlist, { id }),
  };
}

const endOfTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** After some microtasks, as a request that awaited something first. */
async function later<T>(work: () => Promise<T>): Promise<T> {
  for (let n = 0; n < 10; n += 1) await undefined;
  return work();
}

describe('lookups on PostgreSQL', () => {
  it('of one turn are one statement, and each gets its own row', async () => {
    const { sent, find } = server();
    const found = Promise.all([find(7), later(() => find(1_007)), find(3), later(() => find(7))]);
    await endOfTurn();
    assert.deepEqual(
      sent.map(({ ids }) => ids),
      [[7, 3, 1_007, 7]],
    );
    await sent[0]?.answer();
    assert.deepEqual(
      (await found).map((row) => row?.id),
      [7, undefined, 3, 7],
    );
  });

  it('wait while two statements of their kind are under way, and share the next one', async () => {
    const { sent, find, findWaitlist } = server();
    const found: Promise<unknown>[] = [];
    for (const id of [1, 2, 3, 4]) {
      found.push(find(id));
      await endOfTurn();
    }
    assert.equal(sent.length, 2);
    found.push(findWaitlist(5));
    await endOfTurn();
    assert.equal(sent.length, 3, 'another kind does not wait');
    await sent[0]?.answer();
    assert.deepEqual(sent[3]?.ids, [3, 4]);
    for (const { answer } of sent) await answer();
    assert.equal((await Promise.all(found)).length, 5);
  });

  it('are split if there are too many for one statement', async () => {
    const { sent, find } = server();
    const found = Promise.all(Array.from({ length: 500 }, (_, id) => find(id)));
    await endOfTurn();
    for (const { answer } of sent) await answer(); // The third is sent while the first two are answered.
    assert.deepEqual(
      sent.map(({ ids }) => ids.length),
      [200, 200, 100],
    );
    assert.deepEqual(
      (await found).map((row) => row?.id),
      Array.from({ length: 500 }, (_, id) => id),
    );
  });

  it('do not fail because of another one', async () => {
    const { sent, find } = server();
    const found = Promise.allSettled([find(1), find(2), find(3)]);
    await endOfTurn();
    await sent[0]?.fail(new Error('invalid page'));
    await sent[1]?.answer();
    await sent[2]?.fail(new Error('invalid page'));
    await sent[3]?.answer();
    assert.deepEqual(
      sent.map(({ ids }) => ids),
      [[1, 2, 3], [1], [2], [3]],
    );
    assert.deepEqual(
      (await found).map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    const next = find(4);
    await endOfTurn();
    await sent[4]?.answer();
    assert.equal((await next)?.id, 4);
  });

  it('fail together when the database is unavailable', async () => {
    const { sent, find } = server();
    const found = Promise.allSettled([find(1), find(2)]);
    await endOfTurn();
    await sent[0]?.fail(new DatabaseUnavailable('gone'));
    assert.equal(sent.length, 1);
    for (const outcome of await found)
      assert.ok(outcome.status === 'rejected' && outcome.reason instanceof DatabaseUnavailable);
  });
});
