/** After consecutive failures: short for a server that restarts, longer for one that stays away. */
const PAUSES_MS: readonly number[] = [5_000, 15_000, 60_000, 5 * 60_000];

interface Paused {
  failures: number;
  until: number;
  cause: PauseCause;
  probing: boolean;
}

export interface PauseCause {
  /** What is wrong and what to do about it. */
  error: string;
  /** What the server said, without personal data. */
  answer: string | null;
}

/** Why nothing is sent, and when to try again. */
export interface Pause {
  error: string;
  /** 0 when one mail should test whether sending works again. */
  leftMs: number;
}

/** What keeps mails from being sent, by name: the server for all waitlists, a sender for its own. */
interface Pauses {
  begin(name: string, cause: PauseCause): Pause;
  /** Returns whether there was one. */
  end(name: string): boolean;
  /** An email was sent, so none of these is paused, whatever other processes recorded long ago. */
  worked(...names: string[]): void;
  find(...names: string[]): Pause | undefined;
  /** Lets one mail at a time test paused sending. Returns what ends the test, or undefined if one is under way. */
  probe(...names: string[]): (() => void) | undefined;
}

/** Where pauses are known to other processes, and after a restart. */
export interface PauseRecord {
  begun(name: string, cause: PauseCause): void;
  ended(name: string): void;
  worked(names: readonly string[]): void;
}

export function createPauses(
  pausesMs: readonly number[] = PAUSES_MS,
  record?: PauseRecord,
  known: ReadonlyMap<string, PauseCause> = new Map(),
): Pauses {
  const paused = new Map<string, Paused>();
  for (const [name, cause] of known) paused.set(name, { failures: 1, until: 0, cause, probing: false });
  const amongThem = (names: readonly string[]) =>
    names.map((name) => paused.get(name)).filter((one) => one !== undefined);
  return {
    begin: (name, cause) => {
      const found = paused.get(name);
      const now = performance.now();
      // Mails that were sent concurrently fail together, which counts as one failure.
      if (found && found.until > now)
        return { error: found.cause.error, leftMs: Math.ceil(found.until - now) };
      const failures = (found?.failures ?? 0) + 1;
      const leftMs = pausesMs[Math.min(failures, pausesMs.length) - 1] ?? 0;
      paused.set(name, { failures, until: now + leftMs, cause, probing: found?.probing ?? false });
      record?.begun(name, cause);
      return { error: cause.error, leftMs };
    },
    end: (name) => {
      const was = paused.delete(name);
      if (was) record?.ended(name);
      return was;
    },
    worked: (...names) => record?.worked(names),
    find: (...names) => {
      const [longest] = amongThem(names).sort((a, b) => b.until - a.until);
      const leftMs = longest && Math.ceil(Math.max(0, longest.until - performance.now()));
      return longest && { error: longest.cause.error, leftMs: leftMs ?? 0 };
    },
    probe: (...names) => {
      const found = amongThem(names);
      if (found.some(({ probing }) => probing)) return undefined;
      for (const one of found) one.probing = true;
      // A pause that was extended meanwhile is another object under the same name.
      return () => {
        for (const one of [...found, ...amongThem(names)]) one.probing = false;
      };
    },
  };
}
