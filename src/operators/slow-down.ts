import type { Counts } from '../lib/counts.ts';
import { DoorlistError } from '../lib/errors.ts';
import { type Clock, HOUR_MS } from '../lib/time.ts';

/** Attempts without a delay, because people mistype. */
const FREE = 5;
const LONGEST_WAIT_MS = 15 * 60_000;
/** After this long without an attempt, everything is forgotten. */
const FORGET_MS = HOUR_MS;

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

export function slowDown({ clock, counts }: { clock: Clock; counts: Counts }): SlowDown {
  const attempts = counts.tally('attempts', 'slow-down');
  return {
    begin: (who, free = FREE) =>
      attempts.change(who, (last) => {
        const at = clock();
        const made = at - last.at < FORGET_MS ? last.count : 0;
        const waitMs = made < free ? 0 : Math.min(1_000 * 2 ** (made - free), LONGEST_WAIT_MS);
        const leftMs = last.at + waitMs - at;
        if (made >= free && leftMs > 0)
          throw new DoorlistError(
            'rate_limited',
            `too many attempts: try again in ${inWords(leftMs)}`,
            Math.ceil(leftMs / 1_000),
          );
        Object.assign(last, { count: made + 1, at });
      }),
    forget: (who) =>
      attempts.change(who, (last) => {
        last.count = 0;
      }),
    takeBack: (who) =>
      attempts.change(who, (last) => {
        last.count -= 1;
      }),
  };
}

function inWords(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  const [count, unit] = seconds < 60 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
