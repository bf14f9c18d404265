/** What is remembered about one of many. */
export interface Entry {
  /** Without one, the entry is forgotten. */
  count: number;
  /** When there are too many entries, those with the earliest time are forgotten. */
  at: number;
}

export interface Tally {
  /** Nobody else changes the entry meanwhile. It stays as it was if `change` throws. */
  change<T>(who: string, change: (entry: Entry) => T): T;
}

export interface Sum {
  /** Returns false, and adds nothing, if the sum would exceed `most`. */
  add(amount: number, most?: number): boolean;
  readonly value: number;
}

/** Entries of one kind are never forgotten for those of another. */
export const TALLIES = ['limits', 'attempts', 'held'] as const;
export type TallyKind = (typeof TALLIES)[number];

export const SUMS = [
  'signups',
  'keyed bodies',
  'open bodies',
  'streams',
  'reset links',
  'settings changes',
] as const;
export type SumName = (typeof SUMS)[number];

/** What is counted in memory for the whole server, however many threads answer requests. */
export interface Counts {
  tally(kind: TallyKind, name: string): Tally;
  sum(name: SumName): Sum;
}

const MOST_ENTRIES = 100_000;

/** For a server with one thread. */
export function localCounts(): Counts {
  return { tally: () => localTally(), sum: () => localSum() };
}

function localTally(): Tally {
  const entries = new Map<string, Entry>();
  return {
    change: (who, change) => {
      const known = entries.get(who);
      const entry = known ?? { count: 0, at: 0 };
      const { at } = entry;
      const result = change(entry);
      if (known && entry.count > 0 && entry.at === at) return result;
      entries.delete(who); // Added again below, to keep the map sorted by time.
      if (entry.count <= 0) return result;
      if (entries.size >= MOST_ENTRIES) entries.delete(entries.keys().next().value ?? '');
      entries.set(who, entry);
      return result;
    },
  };
}

export function localSum(): Sum {
  let value = 0;
  return {
    add: (amount, most = Number.POSITIVE_INFINITY) => {
      if (value + amount > most) return false;
      value += amount;
      return true;
    },
    get value() {
      return value;
    },
  };
}
