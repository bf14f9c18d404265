import { unavailable } from './errors.ts';
import { endOfTurn } from './promises.ts';

interface Limits {
  most: number;
  longestWaitMs: number;
  /** Lets other work go first, after some of this kind has been running for so long. */
  giveWay(tookMs: number): Promise<void>;
  /** In milliseconds, monotonic. */
  now?(): number;
}

export type FewAtOnce = <T>(caller: string, work: () => Promise<T>) => Promise<T>;

/**
 * For heavy work that comes in crowds: a few run at once, each begins in a turn of the event loop of its own, and callers
 * take turns, however much each of them wants. What has waited too long is refused.
 */
export function fewAtOnce({
  most,
  longestWaitMs,
  giveWay,
  now = () => performance.now(),
}: Limits): FewAtOnce {
  const waiting = new Map<string, Set<() => void>>();
  let running = 0;
  let runningSince = 0;
  let tookMs = 0;
  let isBeginning = false;

  const count = (more: number) => {
    const at = now();
    if (running > 0) tookMs += at - runningSince;
    runningSince = at;
    running += more;
  };
  const beginSome = async () => {
    if (isBeginning) return;
    isBeginning = true;
    while (running < most && waiting.size > 0) {
      await endOfTurn();
      count(0);
      const ms = tookMs;
      tookMs = 0;
      await giveWay(ms);
      takeFirst(waiting)?.();
    }
    isBeginning = false;
  };
  const turnOf = (caller: string) =>
    new Promise<void>((resolve, reject) => {
      const begin = () => {
        clearTimeout(refusal);
        count(1);
        resolve();
      };
      const refusal = setTimeout(() => {
        remove(waiting, caller, begin);
        reject(unavailable('too many requests of this kind are waiting: try again in a moment'));
      }, longestWaitMs).unref();
      const own = waiting.get(caller);
      if (own) own.add(begin);
      else waiting.set(caller, new Set([begin]));
      void beginSome();
    });
  return async (caller, work) => {
    await turnOf(caller);
    try {
      return await work();
    } finally {
      count(-1);
      void beginSome();
    }
  };
}

/** The caller whose turn it is becomes the last one. */
function takeFirst<T>(waiting: Map<string, Set<T>>): T | undefined {
  const [caller, own] = waiting.entries().next().value ?? [];
  if (caller === undefined || own === undefined) return undefined;
  const [first] = own as Set<T>;
  waiting.delete(caller);
  own.delete(first as T);
  if (own.size > 0) waiting.set(caller, own);
  return first;
}

function remove<T>(waiting: Map<string, Set<T>>, caller: string, one: T): void {
  const own = waiting.get(caller);
  own?.delete(one);
  if (own?.size === 0) waiting.delete(caller);
}
