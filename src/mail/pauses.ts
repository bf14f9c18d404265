/** After consecutive failures: short for a server that restarts, longer for one that stays away. */
const PAUSES_MS: readonly number[] = [5_000, 15_000, 60_000, 5 * 60_000];

interface Paused {
  failures: number;
  until: number;
  error: string;
}

/** Why nothing is sent, and when to try again. */
export interface Pause {
  error: string;
  /** 0 when one mail should test whether sending works again. */
  leftMs: number;
}

/** What keeps mails from being sent, by name: the server for all waitlists, a sender for its own. */
export interface Pauses {
  begin(name: string, error: string): Pause;
  /** Returns whether there was one. */
  end(name: string): boolean;
  find(...names: string[]): Pause | undefined;
}

export function createPauses(pausesMs: readonly number[] = PAUSES_MS): Pauses {
  const paused = new Map<string, Paused>();
  return {
    begin: (name, error) => {
      const known = paused.get(name);
      const now = performance.now();
      // Mails that were sent concurrently fail together, which counts as one failure.
      if (known && known.until > now) return { error: known.error, leftMs: Math.ceil(known.until - now) };
      const failures = (known?.failures ?? 0) + 1;
      const leftMs = pausesMs[Math.min(failures, pausesMs.length) - 1] ?? 0;
      paused.set(name, { failures, until: now + leftMs, error });
      return { error, leftMs };
    },
    end: (name) => paused.delete(name),
    find: (...names) => {
      const found = names.map((name) => paused.get(name)).filter((one) => one !== undefined);
      const [longest] = found.sort((a, b) => b.until - a.until);
      return (
        longest && { error: longest.error, leftMs: Math.ceil(Math.max(0, longest.until - performance.now())) }
      );
    },
  };
}
