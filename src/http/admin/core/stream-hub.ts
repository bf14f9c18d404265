import { DatabaseUnavailable } from '../../../db/database.ts';
import type { Counts } from '../../../lib/counts.ts';
import { DoorlistError } from '../../../lib/errors.ts';
import type { Log } from '../../../lib/log.ts';
import { logSparingly } from '../../../lib/sparing-log.ts';

/** The newest state of one thing. A later one with the same slot replaces it. */
export interface StreamState {
  slot: string;
  event: string;
  data: unknown;
}

/** What readers watch. All readers of a feed share its reads. */
export interface Feed {
  name: string;
  /** Returns undefined if the thing no longer exists. */
  read(): Promise<readonly StreamState[] | undefined>;
}

/** The part of `ServerResponse` that is used here. */
export interface Sink {
  readonly writableNeedDrain: boolean;
  write(text: string): boolean;
  end(): void;
  destroy(): void;
  on(event: 'drain' | 'close', listener: () => void): void;
}

interface Watcher {
  /** Whose streams are counted together. */
  caller: string;
  /** Readers with the same credential are checked together. */
  credential: string;
  /** False once the session or token has ended. */
  isAllowed(): Promise<boolean>;
  /** Called before anything is written, if there is room. */
  begin?(): void;
}

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

interface Topic {
  feed: Feed;
  loaded: boolean;
  reading: Promise<void> | undefined;
  states: Map<string, { version: number; text: string }>;
  readers: Set<Reader>;
}

interface Reader extends Watcher {
  sink: Sink;
  /** What it watches, with the version of each state that was sent. */
  topics: Map<Topic, Map<string, number>>;
  /** When writing began to be held up by the reader. */
  heldSince: number | undefined;
}

interface Parts {
  readonly log: Log;
  readonly counts: Counts;
}

export interface StreamHub {
  /** Sends the current state of the feeds, and every change from then on. Throws `rate_limited` if there are too many. */
  add(feeds: readonly Feed[], watcher: Watcher, sink: Sink): void;
  /** Ends all streams. */
  close(): void;
  readonly readers: number;
}

/**
 * One loop per process reads every watched feed, one after the other, however many readers there are. Readers
 * get states, not events: one that cannot keep up skips to the newest state, so nothing queues up for it.
 */
export function createStreamHub({ log, counts }: Parts, times: Partial<StreamTimes> = {}): StreamHub {
  const { roundMs, checkMs, commentMs, stuckMs } = { ...TIMES, ...times };
  const topics = new Map<string, Topic>();
  const readers = new Set<Reader>();
  const ofCallers = counts.tally('held', 'streams');
  const ofServer = counts.sum('streams');
  let versions = 0;
  let running = false;
  let checkedAt = 0;
  let commentedAt = 0;

  const takePlace = (caller: string) =>
    ofCallers.change(caller, (own) => {
      if (own.count >= MOST_OF_CALLER)
        throw new DoorlistError(
          'rate_limited',
          `more than ${MOST_OF_CALLER} open streams: close some first`,
          RETRY_SECONDS,
        );
      if (!ofServer.add(1, MOST_READERS))
        throw new DoorlistError('rate_limited', 'too many open streams: try again later', RETRY_SECONDS);
      own.count += 1;
    });
  const remove = (reader: Reader) => {
    if (!readers.delete(reader)) return; // It has ended before its connection was closed.
    ofServer.add(-1);
    ofCallers.change(reader.caller, (own) => {
      own.count -= 1;
    });
    for (const topic of reader.topics.keys()) {
      topic.readers.delete(reader);
      if (topic.readers.size === 0) topics.delete(topic.feed.name);
    }
  };
  const end = (reader: Reader) => {
    remove(reader);
    reader.sink.end();
  };

  const send = (reader: Reader, comment = '') => {
    const { sink } = reader;
    if (sink.writableNeedDrain) {
      reader.heldSince ??= performance.now();
      return;
    }
    reader.heldSince = undefined;
    let text = comment;
    for (const [topic, sent] of reader.topics) {
      for (const [slot, state] of topic.states) {
        if (sent.get(slot) === state.version) continue;
        sent.set(slot, state.version);
        text += state.text;
      }
      for (const slot of sent.keys()) if (!topic.states.has(slot)) sent.delete(slot);
    }
    if (text !== '') sink.write(text);
  };

  /** Several readers may join before the first read is done. */
  const read = (topic: Topic): Promise<void> => {
    topic.reading ??= readNow(topic).finally(() => {
      topic.reading = undefined;
    });
    return topic.reading;
  };
  const readNow = async (topic: Topic): Promise<void> => {
    const states = await topic.feed.read();
    if (!states) {
      for (const reader of topic.readers) end(reader);
      return;
    }
    topic.loaded = true;
    const slots = new Set(states.map(({ slot }) => slot));
    for (const slot of topic.states.keys()) if (!slots.has(slot)) topic.states.delete(slot);
    for (const { slot, event, data } of states) {
      const text = `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
      if (topic.states.get(slot)?.text === text) continue;
      versions += 1;
      topic.states.set(slot, { version: versions, text });
    }
    for (const reader of topic.readers) send(reader);
  };

  const check = async (): Promise<void> => {
    const answers = new Map<string, Promise<boolean>>();
    for (const reader of [...readers]) {
      const { credential } = reader;
      const answer = answers.get(credential) ?? reader.isAllowed();
      answers.set(credential, answer);
      if (!(await answer)) end(reader);
    }
  };

  const round = async (): Promise<void> => {
    const now = performance.now();
    if (now - checkedAt >= checkMs) {
      checkedAt = now;
      await quietly(check);
    }
    for (const topic of [...topics.values()]) await quietly(() => read(topic));
    for (const reader of [...readers]) {
      if (now - (reader.heldSince ?? now) >= stuckMs) reader.sink.destroy();
    }
    if (now - commentedAt < commentMs) return;
    commentedAt = now;
    for (const reader of readers) send(reader, ':\n\n');
  };

  /** Without a database there is nothing new to tell; the streams stay open. */
  const quietly = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable))
        logSparingly(log, 'error', { reason: (error as Error).message }, 'a stream could not be read');
    }
  };

  const run = async (): Promise<void> => {
    if (running) return;
    running = true;
    while (readers.size > 0) {
      await round();
      await new Promise<void>((resolve) => {
        setTimeout(resolve, roundMs).unref();
      });
    }
    running = false;
  };

  return {
    get readers() {
      return readers.size;
    },
    add: (feeds, watcher, sink) => {
      takePlace(watcher.caller);
      watcher.begin?.();
      const reader: Reader = { ...watcher, sink, topics: new Map(), heldSince: undefined };
      readers.add(reader);
      for (const feed of feeds) {
        const topic = topics.get(feed.name) ?? newTopic(feed);
        topics.set(feed.name, topic);
        topic.readers.add(reader);
        reader.topics.set(topic, new Map());
      }
      sink.on('drain', () => {
        if (readers.has(reader)) send(reader);
      });
      sink.on('close', () => remove(reader));
      send(reader);
      if (running)
        for (const topic of reader.topics.keys()) if (!topic.loaded) void quietly(() => read(topic));
      void run();
    },
    close: () => {
      for (const reader of [...readers]) end(reader);
    },
  };
}

function newTopic(feed: Feed): Topic {
  return { feed, loaded: false, reading: undefined, states: new Map(), readers: new Set() };
}
