import { unavailable } from './errors.ts';

/**
 * For a promise that is awaited after others. If one of them fails first, nobody is left to handle its rejection, and Node
 * would end the process.
 */
export function awaitedLater<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

/** Rejects with `unavailable` if the work takes longer. It goes on, and nobody hears of it. */
export async function within<T>(ms: number, work: Promise<T>, message: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(unavailable(message)), ms);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}

/** Resolves after requests, timers and answers that are waiting have had their turn of the event loop. */
export function endOfTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Has the next item made while the current one is used. An error is thrown when it is the item's turn. */
export async function* oneAhead<T>(items: AsyncGenerator<T>): AsyncGenerator<T> {
  const begin = () => {
    const item = items.next();
    item.catch(() => {}); // Nobody waits for it yet.
    return item;
  };
  let next = begin();
  try {
    for (;;) {
      const { value, done } = await next;
      if (done) return;
      next = begin();
      yield value;
    }
  } finally {
    await items.return(undefined); // After the item that is under way.
  }
}

/**
 * Runs `work` at intervals, never twice at once, and without keeping the process alive. If it fails, the next run may
 * succeed. Returns a function that ends it and waits for a run under way.
 */
export function repeat(everyMs: number, work: () => Promise<unknown>): () => Promise<void> {
  let running: Promise<unknown> | undefined;
  const timer = setInterval(() => {
    running ??= work()
      .catch(() => {})
      .finally(() => {
        running = undefined;
      });
  }, everyMs);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
}
