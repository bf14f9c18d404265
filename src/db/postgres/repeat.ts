import { setTimeout as pause } from 'node:timers/promises';
import { isRolledBack } from './errors.ts';

const ATTEMPTS_MAX = 5;
/** Doubles with each attempt: together less than 0.2 s, so that a request has time left. */
const FIRST_PAUSE_MS = 10;

/**
 * Repeats a transaction after a deadlock or a serialization failure: the server has undone it, and without its
 * rivals it succeeds. The pauses are random, so that rivals do not meet again.
 */
export async function repeatRolledBack<T>(attempt: () => Promise<T>): Promise<T> {
  for (let number = 1; ; number += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!isRolledBack(error) || number === ATTEMPTS_MAX) throw error;
      const longest = FIRST_PAUSE_MS * 2 ** (number - 1);
      await pause(longest * (0.5 + Math.random() / 2));
    }
  }
}
