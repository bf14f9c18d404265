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

export interface Watcher {
  /** Whose streams are counted together. */
  caller: string;
  /** Readers with the same credential are checked together. */
  credential: string;
  /** False once the session or token has ended. */
  isAllowed(): Promise<boolean>;
  /** Called before anything is written, if there is room. */
  begin?(): void;
}

/** A feed that somebody watches, with its states as they were read last. */
export interface Topic {
  feed: Feed;
  loaded: boolean;
  reading: Promise<void> | undefined;
  states: Map<string, { version: number; text: string }>;
  /** How many states there have been. */
  versions: number;
  readers: Set<StreamReader>;
}

export interface StreamReader extends Watcher {
  sink: Sink;
  /** What it watches, with the version of each state that was sent. */
  topics: Map<Topic, Map<string, number>>;
  /** When writing began to be held up by the reader. */
  heldSince: number | undefined;
}

export function newTopic(feed: Feed): Topic {
  return { feed, loaded: false, reading: undefined, states: new Map(), versions: 0, readers: new Set() };
}

/** Keeps what was read. A state that is as it was keeps its version, so it is not sent again. */
export function updateTopic(topic: Topic, states: readonly StreamState[]): void {
  topic.loaded = true;
  const slots = new Set(states.map(({ slot }) => slot));
  for (const slot of topic.states.keys()) if (!slots.has(slot)) topic.states.delete(slot);
  for (const { slot, event, data } of states) {
    const text = `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
    if (topic.states.get(slot)?.text === text) continue;
    topic.versions += 1;
    topic.states.set(slot, { version: topic.versions, text });
  }
}

/** Sends the states that the reader does not have yet, unless it still takes earlier ones. */
export function sendTo(reader: StreamReader, comment = ''): void {
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
}
