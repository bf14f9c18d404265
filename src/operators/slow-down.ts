import { DoorlistError } from '../lib/errors.ts';

/** Attempts without a delay, because people mistype. */
const FREE = 5;
const LONGEST_WAIT_MS = 15 * 60_000;
/** After this long without an attempt, everything is forgotten. */
const FORGET_MS = 60 * 60_000;
/** Above this, the oldest one is forgotten, which limits memory. */
const MOST_KEPT = 100_000;

/** Increases the delay after the first few attempts: 1, 2, 4 … seconds. */
export interface SlowDown {
  /**
   * Counts an attempt before it is made, so that concurrent ones count too. Throws `rate_limited` during a
   * delay.
   */
  begin(who: string, free?: number): void;
  /** The attempt succeeded: forgets the failed ones before it. */
  forget(who: string): void;
  /** The attempt succeeded: the failed ones before it still count. */
  takeBack(who: string): void;
}

export function slowDown(now: () => number): SlowDown {
  const kept = new Map<string, { attempts: number; at: number }>();
  return {
    begin: (who, free = FREE) => {
      const at = now();
      const last = kept.get(who);
      const attempts = last && at - last.at < FORGET_MS ? last.attempts : 0;
      const waitMs = attempts < free ? 0 : Math.min(1_000 * 2 ** (attempts - free), LONGEST_WAIT_MS);
      const leftMs = (last?.at ?? 0) + waitMs - at;
      if (attempts >= free && leftMs > 0)
        throw new DoorlistError(
          'rate_limited',
          `too many attempts: try again in ${inWords(leftMs)}`,
          Math.ceil(leftMs / 1_000),
        );
      kept.delete(who); // Added again, to keep the map sorted by time.
      if (kept.size >= MOST_KEPT) kept.delete(kept.keys().next().value ?? '');
      kept.set(who, { attempts: attempts + 1, at });
    },
    forget: (who) => {
      kept.delete(who);
    },
    takeBack: (who) => {
      const last = kept.get(who);
      if (last) last.attempts -= 1;
    },
  };
}

function inWords(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  const [count, unit] = seconds < 60 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
