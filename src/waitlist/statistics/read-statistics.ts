import { sql } from 'kysely';
import { statement } from '../../db/statement.ts';
import { readColumn } from '../../lib/setting.ts';
import { compareText } from '../../lib/text.ts';
import { type HourOfDeliveries, readDeliveryStats } from '../../outbox/delivery-health.ts';
import { ifReadable } from '../../vault/crypto.ts';
import type { Context } from '../queue/context.ts';
import type { Queue } from '../queue/queue.ts';
import {
  COUNTED,
  type Counted,
  type Counters,
  type Counts,
  type Histogram,
  noCounts,
  quantile,
  readCounters,
} from '../queue/tally.ts';
import { WAITLIST_SETTINGS } from '../queue/waitlist-settings.ts';
import type { CountableValue } from './count-values.ts';
import type { Period } from './intervals.ts';

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

/** Summed by the database, because a year has 35,000 slots. */
const readSums = statement<Range & { step: number }, Counts & { interval: number }>((db, parameter) => {
  const sum = (name: Counted) => sql<number>`cast(sum(${sql.ref(name)}) as bigint)`.as(name);
  // SQLite gets large numbers as floating-point ones, and would divide them as such.
  const whole = (name: 'from' | 'step') => sql`cast(${parameter(name)} as bigint)`;
  const interval = sql<number>`(slot - ${whole('from')}) / ${whole('step')}`;
  return db.query
    .selectFrom('queue_stat')
    .select([interval.as('interval'), ...COUNTED.map(sum)])
    .where('queue_id', '=', parameter('queueId'))
    .where('slot', '>=', parameter('from'))
    .where('slot', '<', parameter('to'))
    .groupBy(sql`1`);
});

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

/** Reads counters only, so the cost depends on the length of the period and not on the length of the queue. */
export async function readStatistics(context: Context, queue: Queue, period: Period): Promise<Statistics> {
  const { db } = context;
  const range = { queueId: queue.id, from: period.from, to: period.to };
  const [series, depthBars, timeBars, entries, metadata, deliveries] = await Promise.all([
    readSeries(context, queue, period),
    db.run(readBars, { ...range, kind: 'depth' }),
    db.run(readBars, { ...range, kind: 'accept_time' }),
    readCounters(db, queue.id),
    readValues(context, queue, period),
    readDeliveryStats(db, queue.id, period),
  ]);
  if (!entries) throw new Error(`queue ${queue.id} is gone`);
  const totals = noCounts();
  for (const counts of series) for (const name of COUNTED) totals[name] += counts[name];
  const times = new Map(timeBars.map(({ bucket, count }) => [bucket, count]));
  const depths = depthBars.map(({ bucket, count }) => ({ depth: bucket, signups: count }));
  return {
    totals,
    series,
    depths: [{ depth: 0, signups: totals.signups - totals.referred }, ...depths].filter(
      ({ signups }) => signups > 0,
    ),
    acceptTime: { medianMs: quantile(times, 0.5), p90Ms: quantile(times, 0.9) },
    openInvites: entries.openInvites,
    entries,
    metadata,
    deliveries,
  };
}

async function readSeries({ db }: Context, queue: Queue, period: Period): Promise<Counts[]> {
  const series = period.starts.map(noCounts);
  const runs = runsOf(period);
  const sums = await Promise.all(
    runs.map(({ from, to, step }) => db.run(readSums, { queueId: queue.id, from, to, step })),
  );
  for (const [index, { first }] of runs.entries())
    for (const { interval, ...counts } of sums[index] ?? []) series[first + interval] = counts;
  return series;
}

interface Run {
  /** Index of its first interval. */
  first: number;
  from: number;
  to: number;
  /** Length of each of its intervals. */
  step: number;
}

/** Intervals of equal length, one after the other. A new run starts where the clocks change. */
function runsOf({ starts, to }: Period): Run[] {
  const runs: Run[] = [];
  for (const [index, from] of starts.entries()) {
    const end = starts[index + 1] ?? to;
    const run = runs.at(-1);
    if (run && end - from === run.step) run.to = end;
    else runs.push({ first: index, from, to: end, step: end - from });
  }
  return runs;
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

interface KeyStatistics {
  key: string;
  /** Most frequent first. */
  values: { value: CountableValue; signups: number }[];
  /** Signups with any other value. */
  other: number;
}

interface ValueRow {
  key: string;
  pair_hash: Uint8Array;
  label: Uint8Array | null;
  signups: number;
}

const readWaitlist = statement<{ waitlistId: number }, { metadata_keys: string }>((db, parameter) =>
  db.query.selectFrom('waitlist').select('metadata_keys').where('id', '=', parameter('waitlistId')),
);

const readCounts = statement<{ queueId: number; from: number; to: number }, ValueRow>((db, parameter) =>
  db.query
    .selectFrom('metadata_count as c')
    .leftJoin('metadata_value as v', (join) =>
      join
        .onRef('v.queue_id', '=', 'c.queue_id')
        .onRef('v.key', '=', 'c.key')
        .onRef('v.pair_hash', '=', 'c.pair_hash'),
    )
    .select(['c.key', 'c.pair_hash', 'v.label', sql<number>`cast(sum(c.signups) as bigint)`.as('signups')])
    .where('c.queue_id', '=', parameter('queueId'))
    .where('c.day', '>=', parameter('from'))
    .where('c.day', '<', parameter('to'))
    .groupBy(['c.key', 'c.pair_hash', 'v.label']),
);

/** Values of the chosen metadata keys, of those who joined on days that begin in the period, in UTC. */
export async function readValues(
  context: Context,
  queue: Queue,
  { from, to }: { from: number; to: number },
): Promise<KeyStatistics[]> {
  const [keys, rows] = await Promise.all([
    readChosenKeys(context, queue),
    context.db.run(readCounts, { queueId: queue.id, from, to }),
  ]);
  return keys.map((key) => {
    const found: KeyStatistics = { key, values: [], other: 0 };
    for (const row of rows.filter((each) => each.key === key && each.signups !== 0)) {
      const value = openLabel(queue, row);
      if (value === undefined) found.other += row.signups;
      else found.values.push({ value, signups: row.signups });
    }
    found.values.sort(byFrequency);
    return found;
  });
}

async function readChosenKeys({ db }: Context, queue: Queue): Promise<string[]> {
  const [waitlist] = await db.run(readWaitlist, { waitlistId: queue.waitlist.internalId });
  return waitlist ? readColumn(WAITLIST_SETTINGS.metadataKeys, waitlist) : [];
}

type CountOfValue = KeyStatistics['values'][number];

function byFrequency(a: CountOfValue, b: CountOfValue): number {
  return b.signups - a.signups || compareText(JSON.stringify(a.value), JSON.stringify(b.value));
}

function openLabel(
  { vault }: Queue,
  { label, pair_hash }: Pick<ValueRow, 'label' | 'pair_hash'>,
): CountableValue | undefined {
  return label ? ifReadable(() => vault.open<CountableValue>('metadata.label', pair_hash, label)) : undefined;
}
