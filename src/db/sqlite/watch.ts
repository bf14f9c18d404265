import { setInterval } from 'node:timers';
import { type Changes, createChanges } from '../changes.ts';

/** For changes of other processes. Our own are checked for at once. */
const CHECK_EVERY_MS = 1_000;

interface Watch extends Pick<Changes, 'listen'> {
  check(): void;
  /** Another thread has written something that is worth telling. */
  note(): void;
  /** For a write that changes nothing. */
  withoutTelling<T>(write: () => Promise<T>): Promise<T>;
  close(): void;
}

/** Tells when the version of the file has changed, whoever changed it. Only one thread looks for changes of other processes. */
export function watchForChanges(version: () => unknown, { looksForOthers = true } = {}): Watch {
  const changes = createChanges();
  let known = version();
  let timer: NodeJS.Timeout | undefined;
  let silent = 0;
  const check = () => {
    if (!changes.hasListeners || silent > 0) return;
    const current = version();
    if (current === known) return;
    known = current;
    changes.tell();
  };
  return {
    check,
    note: () => {
      if (!changes.hasListeners) return;
      known = version();
      changes.tell();
    },
    listen: (changed) => {
      if (looksForOthers) timer ??= setInterval(check, CHECK_EVERY_MS).unref();
      return changes.listen(changed);
    },
    withoutTelling: async (write) => {
      check();
      silent += 1;
      try {
        return await write();
      } finally {
        silent -= 1;
        known = version();
      }
    },
    close: () => clearInterval(timer),
  };
}
