import { sql } from 'kysely';
import { statement } from '../../db/statement.ts';
import { type HourOfDeliveries, readDeliveryStats } from '../../outbox/delivery-stats.ts';
import type { Context } from '../queue/context.ts';
import { type Counters, readCounters } from '../queue/counters.ts';
import type { Queue } from '../queue/directory.ts';
import { quantile } from '../queue/durations.ts';
import { COUNTED, type Counts, type Histogram, noCounts } from '../queue/slot-counts.ts';
import type { Period } from './intervals.ts';
import { type KeyStatistics, readValues } from './read-values.ts';

export interface Statistics {
  /** What happened in the period. */
  totals: Counts;
  series: readonly Counts[];
  /** Signups of the period by the length of the chain of referrals. 0 is without a referrer. */
  depths: readonly { depth: number; signups: number }[];
  acceptTime: { medianMs: number | null; p90Ms: number | null };
  /** Invites that are open now. */
  openInvites: number;
  /** How many entries are in each status now. */
  entries: Counters;
  metadata: readonly KeyStatistics[];
  deliveries: readonly HourOfDeliveries[];
}

type Range = { queueId: number; from: number; to: number };

const readSlots = statement<Range, Counts & { slot: number }>((db, parameter) =>
  db.query
    .selectFrom('queue_stat')
    .select(['slot', ...COUNTED])
    .where('queue_id', '=', parameter('queueId'))
    .where('slot', '>=', parameter('from'))
    .where('slot', '<', parameter('to'))
    .orderBy('slot'),
);

const readBars = statement<Range & { kind: Histogram }, { bucket: number; count: number }>((db, parameter) =>
  db.query
    .selectFrom('queue_histogram')
    .select(['bucket', sql<number>`cast(sum(count) as bigint)`.as('count')])
    .where('queue_id', '=', parameter('queueId'))
    .where('kind', '=', parameter('kind'))
    .where('slot', '>=', parameter('from'))
    .where('slot', '<', parameter('to'))
    .groupBy('bucket')
    .orderBy('bucket'),
);

const readOpen = statement<{ queueId: number }, { open: number | null }>((db, parameter) =>
  db.query
    .selectFrom('queue_stat')
    .select(sql<number | null>`cast(sum(invited - accepted - expired - revoked) as bigint)`.as('open'))
    .where('queue_id', '=', parameter('queueId')),
);

/** Reads counters only, so the cost depends on the length of the period and not on the length of the queue. */
export async function readStatistics(context: Context, queue: Queue, period: Period): Promise<Statistics> {
  const { db } = context;
  const range = { queueId: queue.id, from: period.from, to: period.to };
  const [slots, depthBars, timeBars, [open], entries, metadata, deliveries] = await Promise.all([
    db.run(readSlots, range),
    db.run(readBars, { ...range, kind: 'depth' }),
    db.run(readBars, { ...range, kind: 'accept_time' }),
    db.run(readOpen, { queueId: queue.id }),
    readCounters(db, queue.id),
    readValues(context, queue, period),
    readDeliveryStats(db, queue.id, period),
  ]);
  if (!entries) throw new Error(`queue ${queue.id} is gone`);
  const series = period.starts.map(noCounts);
  const totals = noCounts();
  for (const { slot, ...counts } of slots) {
    const interval = series[indexAt(period.starts, slot)] as Counts;
    for (const name of COUNTED) {
      interval[name] += counts[name];
      totals[name] += counts[name];
    }
  }
  const times = new Map(timeBars.map(({ bucket, count }) => [bucket, count]));
  const depths = depthBars.map(({ bucket, count }) => ({ depth: bucket, signups: count }));
  return {
    totals,
    series,
    depths: [{ depth: 0, signups: totals.signups - totals.referred }, ...depths].filter(
      ({ signups }) => signups > 0,
    ),
    acceptTime: { medianMs: quantile(times, 0.5), p90Ms: quantile(times, 0.9) },
    openInvites: open?.open ?? 0,
    entries,
    metadata,
    deliveries,
  };
}

/** The last of the sorted starts that is not after the time. */
export function indexAt(starts: readonly number[], time: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] as number) <= time) low = middle;
    else high = middle - 1;
  }
  return low;
}
