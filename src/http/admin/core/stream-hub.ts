import { DatabaseUnavailable } from '../../../db/database.ts';
import type { Counts, Sum, Tally } from '../../../lib/counts.ts';
import { DoorlistError } from '../../../lib/errors.ts';
import type { Log } from '../../../lib/log.ts';
import { logSparingly } from '../../../lib/sparing-log.ts';
import {
  type Feed,
  newTopic,
  type Sink,
  type StreamReader,
  sendTo,
  type Topic,
  updateTopic,
  type Watcher,
} from './stream-topic.ts';

export interface StreamTimes {
  roundMs: number;
  checkMs: number;
  commentMs: number;
  /** A reader that takes nothing for this long is gone. */
  stuckMs: number;
}

const TIMES: StreamTimes = { roundMs: 500, checkMs: 2_000, commentMs: 15_000, stuckMs: 60_000 };
const MOST_READERS = 500;
const MOST_OF_CALLER = 20; // A browser opens one for all its tabs, or one for each where it cannot share it.
const RETRY_SECONDS = 10;

interface Parts {
  readonly log: Log;
  readonly counts: Counts;
}

/**
 * One loop per process reads every watched feed, one after the other, however many readers there are. Readers
 * get states, not events: one that cannot keep up skips to the newest state, so nothing queues up for it.
 */
export class StreamHub {
  readonly #log: Log;
  readonly #times: StreamTimes;
  readonly #ofCallers: Tally;
  readonly #ofServer: Sum;
  readonly #topics = new Map<string, Topic>();
  readonly #readers = new Set<StreamReader>();
  #isRunning = false;
  #checkedAt = 0;
  #commentedAt = 0;

  constructor({ log, counts }: Parts, times: Partial<StreamTimes> = {}) {
    this.#log = log;
    this.#times = { ...TIMES, ...times };
    this.#ofCallers = counts.tally('held', 'streams');
    this.#ofServer = counts.sum('streams');
  }

  get readers(): number {
    return this.#readers.size;
  }

  /** Sends the current state of the feeds, and every change from then on. Throws `rate_limited` if there are too many. */
  add(feeds: readonly Feed[], watcher: Watcher, sink: Sink): void {
    this.#takePlace(watcher.caller);
    watcher.begin?.();
    const reader: StreamReader = { ...watcher, sink, topics: new Map(), heldSince: undefined };
    this.#readers.add(reader);
    for (const feed of feeds) {
      const topic = this.#topics.get(feed.name) ?? newTopic(feed);
      this.#topics.set(feed.name, topic);
      topic.readers.add(reader);
      reader.topics.set(topic, new Map());
    }
    sink.on('drain', () => {
      if (this.#readers.has(reader)) sendTo(reader);
    });
    sink.on('close', () => this.#remove(reader));
    sendTo(reader);
    if (this.#isRunning)
      for (const topic of reader.topics.keys())
        if (!topic.loaded) void this.#quietly(() => this.#read(topic));
    void this.#run();
  }

  /** Ends all streams. */
  close(): void {
    for (const reader of [...this.#readers]) this.#end(reader);
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    while (this.#readers.size > 0) {
      await this.#round();
      await new Promise<void>((resolve) => {
        setTimeout(resolve, this.#times.roundMs).unref();
      });
    }
    this.#isRunning = false;
  }

  async #round(): Promise<void> {
    const now = performance.now();
    const { checkMs, commentMs, stuckMs } = this.#times;
    if (now - this.#checkedAt >= checkMs) {
      this.#checkedAt = now;
      await this.#quietly(() => this.#check());
    }
    for (const topic of [...this.#topics.values()]) await this.#quietly(() => this.#read(topic));
    for (const reader of [...this.#readers]) {
      if (now - (reader.heldSince ?? now) >= stuckMs) reader.sink.destroy();
    }
    if (now - this.#commentedAt < commentMs) return;
    this.#commentedAt = now;
    for (const reader of this.#readers) sendTo(reader, ':\n\n');
  }

  /** Ends the streams of those who may no longer read. */
  async #check(): Promise<void> {
    const answers = new Map<string, Promise<boolean>>();
    for (const reader of [...this.#readers]) {
      const { credential } = reader;
      const answer = answers.get(credential) ?? reader.isAllowed();
      answers.set(credential, answer);
      if (!(await answer)) this.#end(reader);
    }
  }

  /** Several readers may join before the first read is done. */
  #read(topic: Topic): Promise<void> {
    topic.reading ??= this.#readNow(topic).finally(() => {
      topic.reading = undefined;
    });
    return topic.reading;
  }

  async #readNow(topic: Topic): Promise<void> {
    const states = await topic.feed.read();
    if (!states) {
      for (const reader of topic.readers) this.#end(reader);
      return;
    }
    updateTopic(topic, states);
    for (const reader of topic.readers) sendTo(reader);
  }

  /** Without a database there is nothing new to tell; the streams stay open. */
  async #quietly(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable))
        logSparingly(this.#log, 'error', { reason: (error as Error).message }, 'a stream could not be read');
    }
  }

  #takePlace(caller: string): void {
    this.#ofCallers.change(caller, (own) => {
      if (own.count >= MOST_OF_CALLER)
        throw new DoorlistError(
          'rate_limited',
          `more than ${MOST_OF_CALLER} open streams: close some first`,
          RETRY_SECONDS,
        );
      if (!this.#ofServer.add(1, MOST_READERS))
        throw new DoorlistError('rate_limited', 'too many open streams: try again later', RETRY_SECONDS);
      own.count += 1;
    });
  }

  #remove(reader: StreamReader): void {
    if (!this.#readers.delete(reader)) return; // It has ended before its connection was closed.
    this.#ofServer.add(-1);
    this.#ofCallers.change(reader.caller, (own) => {
      own.count -= 1;
    });
    for (const topic of reader.topics.keys()) {
      topic.readers.delete(reader);
      if (topic.readers.size === 0) this.#topics.delete(topic.feed.name);
    }
  }

  #end(reader: StreamReader): void {
    this.#remove(reader);
    reader.sink.end();
  }
}
