import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, it, type TestContext } from 'node:test';
import { localCounts } from '../../../lib/counts.ts';
import { createLogger } from '../../../lib/log.ts';
import { StreamHub } from './stream-hub.ts';
import type { Feed, Sink } from './stream-topic.ts';

const TIMES = { roundMs: 1, checkMs: 1, commentMs: 3_600_000, stuckMs: 3_600_000 };
const log = createLogger('silent');

/** A reader that takes what it is given, until it is told to stop. */
class Taker extends EventEmitter implements Sink {
  writableNeedDrain = false;
  texts: string[] = [];
  ended = false;
  write(text: string): boolean {
    assert.ok(!this.writableNeedDrain, 'written although it was not drained');
    this.texts.push(text);
    return true;
  }
  end(): void {
    this.ended = true;
    this.emit('close');
  }
  destroy(): void {
    this.end();
  }
}

function counter(): Feed & { count: number; reads: number } {
  const feed = {
    name: 'counter',
    count: 0,
    reads: 0,
    read: async () => {
      feed.reads += 1;
      return [{ slot: 'count', event: 'count', data: feed.count }];
    },
  };
  return feed;
}

const watcher = (caller = 'a', isAllowed = async () => true) => ({ caller, credential: caller, isAllowed });

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

async function rounds(feed: { reads: number }, count: number): Promise<void> {
  const from = feed.reads;
  await until(() => feed.reads >= from + count);
}

function hubFor(test: TestContext, times = {}) {
  const hub = new StreamHub({ log, counts: localCounts() }, { ...TIMES, ...times });
  test.after(() => hub.close());
  return hub;
}

describe('the hub of streams', () => {
  it('sends the current state, then only what changed', async (test) => {
    const hub = hubFor(test);
    const feed = counter();
    const taker = new Taker();
    hub.add([feed], watcher(), taker);
    await rounds(feed, 5);
    assert.deepEqual(taker.texts, ['event: count\ndata: 0\n\n']);
    feed.count = 1;
    await until(() => taker.texts.length === 2);
    await rounds(feed, 5);
    assert.deepEqual(taker.texts.slice(1), ['event: count\ndata: 1\n\n']);
  });

  it('sends several feeds to one reader, and ends with the first that is gone', async (test) => {
    const hub = hubFor(test);
    const [first, second] = [counter(), { ...counter(), name: 'second' }];
    let state: { slot: string; event: string; data: unknown }[] | undefined = [
      { slot: 'count', event: 'count', data: 'other' },
    ];
    second.read = async () => state as [];
    const [both, one] = [new Taker(), new Taker()];
    hub.add([first, second], watcher(), both);
    hub.add([first], watcher('b'), one);
    await until(() => both.texts.join('').includes('other') && both.texts.join('').includes('data: 0'));
    first.count = 1;
    await until(() => both.texts.at(-1) === 'event: count\ndata: 1\n\n');
    state = undefined;
    await until(() => both.ended);
    assert.ok(!one.ended);
    assert.equal(hub.readers, 1);
  });

  it('reads once for all readers, and not at all without one', async (test) => {
    const hub = hubFor(test);
    const feed = counter();
    const takers = Array.from({ length: 200 }, () => new Taker());
    for (const [index, taker] of takers.entries()) hub.add([feed], watcher(`caller ${index}`), taker);
    await rounds(feed, 10);
    assert.ok(takers.every(({ texts }) => texts.length === 1));
    assert.ok(feed.reads < 200, String(feed.reads));
    for (const taker of takers) taker.end();
    assert.equal(hub.readers, 0);
    const { reads } = feed;
    for (let i = 0; i < 20; i += 1) await new Promise((resolve) => setImmediate(resolve));
    assert.ok(feed.reads <= reads + 1, 'one that was under way may finish');
  });

  it('skips a slow reader, which gets only the newest state later', async (test) => {
    const hub = hubFor(test);
    const feed = counter();
    const [slow, fast] = [new Taker(), new Taker()];
    hub.add([feed], watcher('slow'), slow);
    hub.add([feed], watcher('fast'), fast);
    await until(() => slow.texts.length === 1 && fast.texts.length === 1);
    slow.writableNeedDrain = true;
    for (let count = 1; count <= 50; count += 1) {
      feed.count = count;
      await until(() => fast.texts.length === count + 1);
    }
    assert.equal(slow.texts.length, 1);
    slow.writableNeedDrain = false;
    slow.emit('drain');
    assert.deepEqual(slow.texts.slice(1), ['event: count\ndata: 50\n\n']);
  });

  it('lets go of a reader that takes nothing for long', async (test) => {
    const hub = hubFor(test, { stuckMs: 1 });
    const feed = counter();
    const taker = new Taker();
    hub.add([feed], watcher(), taker);
    await until(() => taker.texts.length === 1);
    taker.writableNeedDrain = true;
    feed.count = 1;
    await until(() => taker.ended);
    assert.equal(hub.readers, 0);
  });

  it('comments, so that proxies keep the connection open', async (test) => {
    const hub = hubFor(test, { commentMs: 1 });
    const taker = new Taker();
    hub.add([counter()], watcher(), taker);
    await until(() => taker.texts.filter((text) => text.includes(':\n\n')).length >= 3);
  });

  it('ends the streams of a credential that has ended, and no others', async (test) => {
    const hub = hubFor(test);
    const feed = counter();
    let allowed = true;
    const [first, second, other] = [new Taker(), new Taker(), new Taker()];
    hub.add(
      [feed],
      watcher('a', async () => allowed),
      first,
    );
    hub.add(
      [feed],
      watcher('a', async () => allowed),
      second,
    );
    hub.add([feed], watcher('b'), other);
    await rounds(feed, 5);
    assert.ok(!first.ended);
    allowed = false;
    await until(() => first.ended && second.ended);
    assert.ok(!other.ended);
  });

  it('ends when what it is about is gone, and survives a read that fails', async (test) => {
    const hub = hubFor(test);
    const taker = new Taker();
    let reads = 0;
    const read = async () => {
      reads += 1;
      if (reads === 1) throw new Error('no database');
      return reads < 5 ? [{ slot: 'a', event: 'a', data: 1 }] : undefined;
    };
    hub.add([{ name: 'gone', read }], watcher(), taker);
    await until(() => taker.ended);
    assert.deepEqual(taker.texts, ['event: a\ndata: 1\n\n']);
  });

  it('has room for a number of readers, of one caller and in total', (test) => {
    const hub = hubFor(test);
    const feed = counter();
    const add = (caller: string) => hub.add([feed], watcher(caller), new Taker());
    for (let i = 0; i < 20; i += 1) add('a');
    assert.throws(() => add('a'), /more than 20 open streams/);
    for (let i = 20; i < 500; i += 1) add(`caller ${i}`);
    assert.throws(() => add('z'), /too many open streams/);
    hub.close();
    assert.equal(hub.readers, 0);
    add('a');
  });
});
