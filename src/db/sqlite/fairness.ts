import { primaryCodeOf, SQLITE } from './error-codes.ts';

/** SQLite itself would soon look only every 100 ms, and miss the moments between the transactions of another process. */
const LOOK_EVERY_MS = 2;
/** After a transaction of this length, others have probably been waiting. */
const LONG_MS = 50;
/** Longer than others take to look, and short beside a long transaction. */
const GIVE_WAY_MS = 5;

/** How a process shares the only writer that SQLite allows with other processes. */
interface Turns {
  /** Repeats what is refused because another process writes. */
  wait<T>(work: () => T): T;
  /** Before a transaction: another process may come first if the last one here was long. */
  letOthersGo(): void;
  begun(): void;
  ended(): void;
}

export function fairTurns(timeoutMs: number): Turns {
  let begunAt = 0;
  let endedAt = Number.NEGATIVE_INFINITY;
  return {
    wait: (work) => {
      const giveUpAt = performance.now() + timeoutMs;
      for (;;) {
        try {
          return work();
        } catch (error) {
          if (primaryCodeOf(error) !== SQLITE.BUSY || performance.now() > giveUpAt) throw error;
          sleep(LOOK_EVERY_MS);
        }
      }
    },
    letOthersGo: () => {
      const left = endedAt + GIVE_WAY_MS - performance.now();
      if (left > 0 && endedAt - begunAt > LONG_MS) sleep(left);
    },
    begun: () => {
      begunAt = performance.now();
    },
    ended: () => {
      endedAt = performance.now();
    },
  };
}

const never = new Int32Array(new SharedArrayBuffer(4));

/** Blocks this thread, which is the writer's own. */
function sleep(ms: number): void {
  Atomics.wait(never, 0, 0, ms);
}
