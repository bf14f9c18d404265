import { hash } from 'node:crypto';
import { type Counts, type Entry, SUMS, type Sum, TALLIES, type Tally, type TallyKind } from './counts.ts';
import { randomBytes } from './ids.ts';

/** Entries whose names have the same beginning of a hash. If there are more, the earliest one is forgotten. */
const WAYS = 16;
/** With 16 entries each. Nobody can hold as many things at once as there are clients in a minute. */
const BUCKETS: Record<TallyKind, number> = { limits: 2 ** 14, attempts: 2 ** 14, held: 2 ** 12 };
/** Of an entry: two halves of a hash, its count and its time. */
const ENTRY_BYTES = 2 * 4 + 2 * 8;
const LOCK_BYTES = 4;

const FREE = 0;
const TAKEN = 1;
/** A thread that has a lock can be interrupted by the system. Others are woken sooner, unless they miss it. */
const LOOK_EVERY_MS = 1;

/** What the threads of a server share. */
export interface SharedMemory {
  /** Unknown to clients, so that nobody can look for names that meet in one place. */
  seed: string;
  sums: SharedArrayBuffer;
  tables: Record<TallyKind, SharedArrayBuffer>;
}

export function newSharedMemory(): SharedMemory {
  const tables = TALLIES.map((kind) => [kind, new SharedArrayBuffer(tableBytes(BUCKETS[kind]))] as const);
  return {
    seed: randomBytes(16).toString('hex'),
    sums: new SharedArrayBuffer(SUMS.length * Int32Array.BYTES_PER_ELEMENT),
    tables: Object.fromEntries(tables) as SharedMemory['tables'],
  };
}

function tableBytes(buckets: number): number {
  return buckets * (LOCK_BYTES + WAYS * ENTRY_BYTES);
}

/** For a server with several threads, each of which makes its own over the same memory. */
export function sharedCounts({ seed, sums, tables }: SharedMemory): Counts {
  const totals = new Int32Array(sums);
  return {
    tally: (kind, name) => sharedTally(tables[kind], BUCKETS[kind], `${seed} ${name} `),
    sum: (name) => sharedSum(totals, SUMS.indexOf(name)),
  };
}

function sharedSum(totals: Int32Array<SharedArrayBuffer>, at: number): Sum {
  return {
    add: (amount, most = Number.POSITIVE_INFINITY) => {
      for (;;) {
        const value = Atomics.load(totals, at);
        if (value + amount > most) return false;
        if (Atomics.compareExchange(totals, at, value, value + amount) === value) return true;
      }
    },
    get value() {
      return Atomics.load(totals, at);
    },
  };
}

function sharedTally(memory: SharedArrayBuffer, buckets: number, prefix: string): Tally {
  const slots = buckets * WAYS;
  const locks = new Int32Array(memory, 0, buckets);
  const names = new Uint32Array(memory, buckets * LOCK_BYTES, 2 * slots);
  const counts = new Float64Array(memory, buckets * LOCK_BYTES + 8 * slots, slots);
  const times = new Float64Array(memory, buckets * LOCK_BYTES + 16 * slots, slots);

  /** The slot of the name, a free one, or that of the earliest entry. */
  const find = (bucket: number, first: number, second: number): number => {
    let place = bucket * WAYS;
    for (let slot = bucket * WAYS; slot < (bucket + 1) * WAYS; slot += 1) {
      if (names[2 * slot] === first && names[2 * slot + 1] === second) return slot;
      if (timeOf(slot) < timeOf(place)) place = slot;
    }
    return place;
  };
  const timeOf = (slot: number) => (counts[slot] === 0 ? Number.NEGATIVE_INFINITY : (times[slot] as number));

  return {
    change: (who, change) => {
      const digest = hash('sha256', prefix + who, 'buffer');
      const bucket = digest.readUInt32LE(0) % buckets;
      const [first, second] = [digest.readUInt32LE(4), digest.readUInt32LE(8)];
      return holding(locks, bucket, () => {
        const slot = find(bucket, first, second);
        const isKnown = names[2 * slot] === first && names[2 * slot + 1] === second && counts[slot] !== 0;
        const entry: Entry = isKnown
          ? { count: counts[slot] as number, at: times[slot] as number }
          : { count: 0, at: 0 };
        const result = change(entry);
        names[2 * slot] = first;
        names[2 * slot + 1] = second;
        counts[slot] = Math.max(0, entry.count);
        times[slot] = entry.at;
        return result;
      });
    },
  };
}

/** Waits for the lock by blocking this thread, because it is held for less than a microsecond. */
function holding<T>(locks: Int32Array<SharedArrayBuffer>, lock: number, work: () => T): T {
  while (Atomics.compareExchange(locks, lock, FREE, TAKEN) !== FREE)
    Atomics.wait(locks, lock, TAKEN, LOOK_EVERY_MS);
  try {
    return work();
  } finally {
    Atomics.store(locks, lock, FREE);
    Atomics.notify(locks, lock, 1);
  }
}
