import type { Quota } from '../../outbox/channel.ts';

/** Allows this many at a time. After `waitMs`, a waiting caller gets undefined. */
export function limitTo(most: number): (waitMs: number) => Promise<(() => void) | undefined> {
  let free = most;
  const waiting: ((release: () => void) => void)[] = [];
  const release = () => {
    const next = waiting.shift();
    if (next) next(release);
    else free += 1;
  };
  return (waitMs) => {
    if (free > 0) {
      free -= 1;
      return Promise.resolve(release);
    }
    return new Promise((resolve) => {
      const take = (given: () => void) => {
        clearTimeout(timer);
        resolve(given);
      };
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(take), 1);
        resolve(undefined);
      }, waitMs);
      waiting.push(take);
    });
  };
}

/** One second's worth can be sent at once, shared among queues. */
export function meter(perSecond: number) {
  let usedUntil = 0;
  const ahead = () => Math.max(0, usedUntil - performance.now());
  return {
    share: (queues: number): Quota[] => {
      let left = Math.max(0, Math.floor(((1000 - ahead()) * perSecond) / 1000));
      return Array.from({ length: queues }, (_, index) => {
        const own = Math.ceil(left / (queues - index));
        left -= own;
        return { left: own, againInMs: Math.ceil(1000 / perSecond), usedUntil, perSecond };
      });
    },
    charge: (count: number) => {
      usedUntil = performance.now() + ahead() + (count * 1000) / perSecond;
    },
  };
}
