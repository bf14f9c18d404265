import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { setInterval } from 'node:timers';
import type { Log } from '../lib/log.ts';
import { reportState } from '../lib/state-log.ts';

const CHECK_EVERY_MS = 1_000;

/** Without a free descriptor, the system closes new connections before Node hears of them, so nothing else would tell. */
export function watchDescriptors(log: Log): { stop(): void } {
  const timer = setInterval(() => {
    try {
      closeSync(openSync(devNull, 'r'));
      reportState(log, 'file descriptors', 'ok');
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'EMFILE' && code !== 'ENFILE') return;
      const reason = 'new connections are refused: raise the limit of open files (ulimit -n, LimitNOFILE)';
      reportState(log, 'file descriptors', 'used up', { code, reason });
    }
  }, CHECK_EVERY_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
