import { sql } from 'kysely';
import type { Database, Trx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import { STATUSES, type Status } from '../../db/tables.ts';
import { bucketOf, LEVEL_SHIFTS } from './positions.ts';

/** Collects the changes to a queue's counters, to write them once at the end of a change. */
export class Tally {
  readonly statuses = new Map<Status, number>();
  /** What happened, for the statistics. */
  readonly slots = new SlotCounts();
  /** For each level, the change of each bucket. */
  readonly #levels = LEVEL_SHIFTS.map(() => new Map<number, number>());

  enter(status: Status, rank: number): void {
    this.#add(status, rank, 1);
  }

  leave(status: Status, rank: number): void {
    this.#add(status, rank, -1);
  }

  #add(status: Status, rank: number, delta: number): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + delta);
    if (status !== 'waiting') return;
    for (const [level, deltas] of this.#levels.entries()) {
      const bucket = bucketOf(rank, level);
      deltas.set(bucket, (deltas.get(bucket) ?? 0) + delta);
    }
  }

  get buckets(): { level: number; bucket: number; delta: number }[] {
    return this.#levels
      .flatMap((deltas, level) => [...deltas].map(([bucket, delta]) => ({ level, bucket, delta })))
      .filter(({ delta }) => delta !== 0);
  }
}

/** Every time zone's day is a sum of quarters of an hour in UTC. */
export const SLOT_MS = 15 * 60 * 1000;

/** What entries and invites tell, too. */
export const RECOUNTED = [
  'signups',
  'referred',
  'confirmed',
  'invited',
  'accepted',
  'expired',
  'revoked',
  'removed',
  'declined',
] as const;
export const COUNTED = [...RECOUNTED, 'downloads', 'deletions'] as const;
export type Counted = (typeof COUNTED)[number];
export type Counts = Record<Counted, number>;

/** Longer chains of referrals count as this long, so that a change moves few people. */
export const DEPTH_MAX = 10;

const HISTOGRAMS = ['depth', 'accept_time'] as const;
export type Histogram = (typeof HISTOGRAMS)[number];

interface Bar {
  kind: Histogram;
  slot: number;
  bucket: number;
  count: number;
}

function slotOf(time: number): number {
  return time - (time % SLOT_MS);
}

export function noCounts(): Counts {
  return Object.fromEntries(COUNTED.map((name) => [name, 0])) as Counts;
}

/** Collects what happened when, to add it to the statistics once at the end of a change. */
class SlotCounts {
  readonly #slots = new Map<number, Counts>();
  readonly #totals = noCounts();
  readonly #bars = new Map<string, Bar>();
  /** Of all slots. */
  readonly totals: Readonly<Counts> = this.#totals;

  add(what: Counted, at: number, count = 1): void {
    const slot = slotOf(at);
    let counts = this.#slots.get(slot);
    if (!counts) {
      counts = noCounts();
      this.#slots.set(slot, counts);
    }
    counts[what] += count;
    this.#totals[what] += count;
  }

  /** An entry moves along the chain of referrals, or enters it: a depth of 0 means no referrer. */
  addDepth(at: number, from: number, to: number): void {
    if ((from === 0) !== (to === 0)) this.add('referred', at, to === 0 ? -1 : 1);
    if (from > 0) this.#addBar('depth', at, from, -1);
    if (to > 0) this.#addBar('depth', at, to, 1);
  }

  addAccept(at: number, invitedAt: number): void {
    this.add('accepted', at);
    this.#addBar('accept_time', at, bucketOfDuration(at - invitedAt), 1);
  }

  #addBar(kind: Histogram, at: number, bucket: number, count: number): void {
    const slot = slotOf(at);
    const name = `${kind} ${slot} ${bucket}`;
    const bar = this.#bars.get(name);
    if (bar) bar.count += count;
    else this.#bars.set(name, { kind, slot, bucket, count });
  }

  write(trx: Trx, queueId: number): void {
    const rows = [...this.#slots].map(([slot, counts]) => ({ queue_id: queueId, slot, ...counts }));
    trx.insert('queue_stat', rows, { onConflict: { add: COUNTED } });
    const bars = [...this.#bars.values()].map((bar) => ({ queue_id: queueId, ...bar }));
    trx.insert('queue_histogram', bars, { onConflict: { add: ['count'] } });
  }
}

/** From one second to two years, each a factor of √2 apart. */
export const DURATION_LIMITS_MS: readonly number[] = Array.from({ length: 53 }, (_, step) =>
  Math.round(1000 * 2 ** (step / 2)),
);

/** How many of the limits a duration has reached. */
function bucketOfDuration(ms: number): number {
  const first = DURATION_LIMITS_MS.findIndex((limit) => ms < limit);
  return first < 0 ? DURATION_LIMITS_MS.length : first;
}

/** Estimates a quantile from the counts of the buckets, or null if they are empty. */
export function quantile(counts: ReadonlyMap<number, number>, share: number): number | null {
  const buckets = [...counts].filter(([, count]) => count > 0).sort(([a], [b]) => a - b);
  const total = buckets.reduce((sum, [, count]) => sum + count, 0);
  let rank = share * total;
  for (const [bucket, count] of buckets) {
    if (rank <= count) return within(bucket, rank / count);
    rank -= count;
  }
  return null;
}

/** Assumes an even distribution inside a bucket. */
function within(bucket: number, part: number): number {
  const from = DURATION_LIMITS_MS[bucket - 1] ?? 0;
  const to = DURATION_LIMITS_MS[bucket] ?? from;
  return Math.round(from + (to - from) * part);
}

/** How many entries a queue has in each status, and how many there ever were, without undone imports. */
export interface Counters extends Record<Status, number> {
  signups: number;
  /** Invites that are neither accepted nor ended. */
  openInvites: number;
}

const readQueue = statement<{ queueId: number }, Counters>((db, parameter) =>
  db.query
    .selectFrom('queue_state')
    .select(STATUSES)
    .select([sql<number>`last_seq - undone`.as('signups'), 'open_invites as openInvites'])
    .where('queue_id', '=', parameter('queueId')),
);

/** Returns undefined if the queue no longer exists. */
export async function readCounters(db: Database, queueId: number): Promise<Counters | undefined> {
  const [row] = await db.run(readQueue, { queueId });
  return row;
}
