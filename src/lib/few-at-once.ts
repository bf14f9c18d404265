import { unavailable } from './errors.ts';

interface Limits {
  most: number;
  longestWaitMs: number;
}

/**
 * For heavy work that comes in crowds: a few run at once, and each begins in a turn of the event loop of its own, so
 * that light work gets in between. What has waited too long is refused.
 */
export function fewAtOnce({ most, longestWaitMs }: Limits): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  const turn = () =>
    new Promise<void>((resolve, reject) => {
      const begin = () => {
        clearTimeout(refusal);
        running += 1;
        setImmediate(resolve);
      };
      const refusal = setTimeout(() => {
        waiting.splice(waiting.indexOf(begin), 1);
        reject(unavailable('too many requests of this kind are waiting: try again in a moment'));
      }, longestWaitMs).unref();
      if (running < most) begin();
      else waiting.push(begin);
    });
  return async (work) => {
    await turn();
    try {
      return await work();
    } finally {
      running -= 1;
      waiting.shift()?.();
    }
  };
}
