import type { Trx } from '../../db/database.ts';
import type { QueueStatTable } from '../../db/tables.ts';
import { bucketOfDuration } from './durations.ts';

/** Every time zone's day is a sum of quarters of an hour in UTC. */
export const SLOT_MS = 15 * 60 * 1000;

export const COUNTED = [
  'signups',
  'referred',
  'confirmed',
  'invited',
  'accepted',
  'expired',
  'revoked',
  'removed',
] as const;
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
  return {
    signups: 0,
    referred: 0,
    confirmed: 0,
    invited: 0,
    accepted: 0,
    expired: 0,
    revoked: 0,
    removed: 0,
  };
}

/** Collects what happened when, to add it to the statistics once at the end of a change. */
export class SlotCounts {
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
    const rows: QueueStatTable[] = [];
    for (const [slot, counts] of this.#slots) rows.push({ queue_id: queueId, slot, ...counts });
    trx.insert('queue_stat', rows, { onConflict: { add: COUNTED } });
    const bars = [...this.#bars.values()].map((bar) => ({ queue_id: queueId, ...bar }));
    trx.insert('queue_histogram', bars, { onConflict: { add: ['count'] } });
  }
}
