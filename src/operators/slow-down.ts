import { DoorlistError } from '../errors.ts';

/** Attempts that cost nothing: people mistype. */
const FREE = 5;
const LONGEST_WAIT_MS = 15 * 60_000;
/** After this long without an attempt everything is forgotten. */
const FORGET_MS = 60 * 60_000;
/** Past this many the longest-known one is forgotten: memory stays bounded under any flood. */
const MOST_KEPT = 100_000;

/** Makes whoever guesses wait longer and longer: 1, 2, 4 … seconds after the first few attempts. */
export interface SlowDown {
  /** Counts an attempt before it is made, so that many at once count too; throws `rate_limited` while one must wait. */
  begin(who: string): void;
  /** The attempt was right. */
  forget(who: string): void;
}

export function slowDown(now: () => number): SlowDown {
  const kept = new Map<string, { attempts: number; at: number }>();
  return {
    begin: (who) => {
      const at = now();
      const last = kept.get(who);
      const attempts = last && at - last.at < FORGET_MS ? last.attempts : 0;
      const waitMs = attempts < FREE ? 0 : Math.min(1_000 * 2 ** (attempts - FREE), LONGEST_WAIT_MS);
      const leftMs = (last?.at ?? 0) + waitMs - at;
      if (attempts >= FREE && leftMs > 0)
        throw new DoorlistError(
          'rate_limited',
          'too many attempts: try again later',
          Math.ceil(leftMs / 1_000),
        );
      kept.delete(who); // Set anew, so that the map stays in the order of time.
      if (kept.size >= MOST_KEPT) kept.delete(kept.keys().next().value ?? '');
      kept.set(who, { attempts: attempts + 1, at });
    },
    forget: (who) => {
      kept.delete(who);
    },
  };
}
