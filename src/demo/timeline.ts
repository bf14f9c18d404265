import type { Clock } from '../lib/clock.ts';

/** A clock that stands still until it is moved. */
export interface Timeline {
  readonly clock: Clock;
  moveTo(time: number): void;
}

export function createTimeline(start: number): Timeline {
  let now = start;
  return {
    clock: () => now,
    moveTo: (time) => {
      now = Math.max(now, time);
    },
  };
}
