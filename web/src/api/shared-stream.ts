import { BASE_PATH } from '../base-path.ts';
import { openStream, type Told } from './stream.ts';

const NAME = `doorlist ${BASE_PATH}`;

/** Whoever holds it reads the stream for all tabs. */
const LEADER = `${NAME} leader`;

/** Each tab holds one with what it watches. A tab that crashes lets go of it. */
const WATCHING = `${NAME} watching `;

/** Asks the leader to look at what is watched. */
const LOOK = 'look';

/** What the server takes in one stream. */
const WATCHED_MAX = 20;

/**
 * A browser has six connections to a host over HTTP/1.1, so its tabs share one stream, and one that is hidden or in the
 * back/forward cache watches nothing. `watched` is a waitlist and its environment. Returns how to stop.
 */
export function shareStream(watched: string, tell: (told: Told) => void): () => void {
  return whileShown(() => join(watched, tell));
}

function join(watched: string, tell: (told: Told) => void): () => void {
  // Plain HTTP has no locks, except on this machine. Then each tab in sight has a stream.
  if (!navigator.locks) return openStream([watched], tell);
  const leaving = new AbortController();
  const { signal } = leaving;
  const channel = new BroadcastChannel(NAME);
  const hear = (told: Told) => {
    if (told.watched === watched) tell(told);
  };
  let look: (() => void) | undefined;
  channel.onmessage = ({ data }: MessageEvent<Told | typeof LOOK>) => {
    if (data === LOOK) look?.();
    else hear(data);
  };
  const lead = () => {
    let close = () => {};
    let looks = 0;
    look = async () => {
      looks += 1;
      const number = looks;
      const all = await watchedByTabs();
      if (signal.aborted || number !== looks) return;
      close();
      // A new stream begins with the state of everything, which is what a tab that has just come needs.
      close = openStreams(all, (told) => {
        channel.postMessage(told);
        hear(told);
      });
    };
    signal.addEventListener('abort', () => close());
    look();
  };
  hold(`${WATCHING}${watched}`, 'shared', signal, () => {
    channel.postMessage(LOOK);
    hold(LEADER, 'exclusive', signal, lead);
  });
  return () => {
    leaving.abort();
    channel.close();
  };
}

/** Until the signal. */
function hold(name: string, mode: LockMode, signal: AbortSignal, begin: () => void): void {
  const held = () =>
    new Promise<void>((release) => {
      if (signal.aborted) return release();
      signal.addEventListener('abort', () => release());
      begin();
    });
  // Rejects if it was still waiting then.
  navigator.locks.request(name, { mode, signal }, held).catch(() => {});
}

async function watchedByTabs(): Promise<string[]> {
  const { held = [] } = await navigator.locks.query();
  const names = held.map(({ name = '' }) => name).filter((name) => name.startsWith(WATCHING));
  return [...new Set(names.map((name) => name.slice(WATCHING.length)))];
}

/** More than one only in a browser that has that many waitlists in sight. */
function openStreams(watched: readonly string[], tell: (told: Told) => void): () => void {
  const streams: (() => void)[] = [];
  for (let index = 0; index < watched.length; index += WATCHED_MAX)
    streams.push(openStream(watched.slice(index, index + WATCHED_MAX), tell));
  return () => {
    for (const close of streams) close();
  };
}

/** Starts whenever the page comes into sight, and stops whenever it is hidden or left. */
function whileShown(start: () => () => void): () => void {
  let stop: (() => void) | undefined;
  const follow = (isShown: boolean) => {
    if (isShown) stop ??= start();
    else {
      stop?.();
      stop = undefined;
    }
  };
  const onSight = () => follow(document.visibilityState === 'visible');
  const onLeave = () => follow(false);
  onSight();
  document.addEventListener('visibilitychange', onSight);
  addEventListener('pageshow', onSight);
  addEventListener('pagehide', onLeave);
  return () => {
    document.removeEventListener('visibilitychange', onSight);
    removeEventListener('pageshow', onSight);
    removeEventListener('pagehide', onLeave);
    follow(false);
  };
}
